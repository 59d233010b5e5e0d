"""A client for peerd: decisions, and their rewards. See class Client."""

from peerd.backlog import Waiting
from peerd.client import CLIENT_FALLBACK, BadToken, Client, Conflict, Expired, PeerdError, Refused, Unknown, Unreachable
from peerd.models import Action, Arm, Ask, Decision, Flaw, Peer, Problem, Receipt, Reward, Status
from peerd.offline import DRAWN, TableState

__all__ = [
    "CLIENT_FALLBACK", "DRAWN", "Action", "Arm", "Ask", "BadToken", "Client", "Conflict", "Decision", "Expired", "Flaw", "Peer", "PeerdError",
    "Problem", "Receipt", "Refused", "Reward", "Status", "TableState", "Unknown",
    "Unreachable", "Waiting",
]
