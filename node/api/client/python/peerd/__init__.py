"""A client for peerd: decisions, and their rewards. See class Client."""

from peerd.client import CLIENT_FALLBACK, Client, Conflict, Expired, PeerdError, Refused, Unknown, Unreachable
from peerd.models import (Action, Arm, Ask, Decision, Flaw, Peer, Problem, Receipt, Reward, Status)

__all__ = [
    "CLIENT_FALLBACK", "Action", "Arm", "Ask", "Client", "Conflict", "Decision", "Expired", "Flaw", "Peer", "PeerdError",
    "Problem", "Receipt", "Refused", "Reward", "Status", "Unknown", "Unreachable",
]
