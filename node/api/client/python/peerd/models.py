# Generated from docs/openapi.json by: go run ./scripts/models; do not edit.
"""The documents of peerd's API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Union


@dataclass(frozen=True)
class Action:
    """A part of other documents."""

    # Your id of the action, which the decision returns; without features the name of
    # one of the network's.
    id: str
    # With a learner by features, and only then: an object with a value for each name
    # of features.action, or as many numbers as learner.linucb.features, with a sum of
    # squares of at most 1. Private.
    features: Optional[Union[List[float], Mapping[str, Any]]] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Action:
        return cls(
            id=doc["id"],
            features=doc.get("features"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "id": self.id,
        }
        if self.features is not None:
            doc["features"] = self.features
        return doc


@dataclass(frozen=True)
class Alike:
    """A part of other documents."""

    # Its index in the network file, from 0.
    peer: int
    name: str
    # By how much the mean reward of an action differs between both sites, as a
    # standard deviation in the units of rewards, as far as is known.
    apart: float

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Alike:
        return cls(
            peer=doc["peer"],
            name=doc["name"],
            apart=doc["apart"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "peer": self.peer,
            "name": self.name,
            "apart": self.apart,
        }
        return doc


@dataclass(frozen=True)
class Arm:
    """The answer of GET /v1/arms, in a list."""

    name: str
    # Number of times this peer chose it; 0 with an application whose counts are
    # noised (privacy.counts), or whose actions follow from features.
    pulls: int
    # Estimated mean reward, from releases only; noise in few samples can put it
    # outside of api.reward_range, whose units it has. With a learner by features it
    # is 0 or, with features.context alone, the mean in the middle of these.
    estimate: float
    # Number of rewards behind the estimate, as if one site had seen all of them; 0
    # while nothing is known.
    samples: float
    # Standard deviation of the privacy noise in the estimate, in its units.
    noise_sd: float
    # Own rewards behind the estimate: those that are released. 0 if the protocol
    # keeps no sites apart.
    own: float
    # Rewards of other sites behind the estimate; with a learner that weighs sites,
    # the number of own rewards that would say as much. 0 if the protocol keeps no
    # sites apart.
    borrowed: float
    # Other sites that have released rewards of the action; 0 if the protocol keeps no
    # sites apart.
    borrowed_sites: int
    # With such a feature: what the values of each named feature of the context add to
    # the estimate, computed from releases only.
    effects: Optional[List[Effect]] = None
    # With such a feature: the standard error of the estimate.
    error: Optional[float] = None
    # The network has ended its choices.
    retired: Optional[bool] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Arm:
        return cls(
            name=doc["name"],
            pulls=doc["pulls"],
            estimate=doc["estimate"],
            samples=doc["samples"],
            noise_sd=doc["noise_sd"],
            own=doc["own"],
            borrowed=doc["borrowed"],
            borrowed_sites=doc["borrowed_sites"],
            effects=None if doc.get("effects") is None else [Effect.from_json(x) for x in doc["effects"]],
            error=doc.get("error"),
            retired=doc.get("retired"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "name": self.name,
            "pulls": self.pulls,
            "estimate": self.estimate,
            "samples": self.samples,
            "noise_sd": self.noise_sd,
            "own": self.own,
            "borrowed": self.borrowed,
            "borrowed_sites": self.borrowed_sites,
        }
        if self.effects is not None:
            doc["effects"] = [x.to_json() for x in self.effects]
        if self.error is not None:
            doc["error"] = self.error
        if self.retired is not None:
            doc["retired"] = self.retired
        return doc


@dataclass(frozen=True)
class Ask:
    """The body of POST /v1/decisions."""

    # Actions on offer. By features, with their features and ids of your own, no more
    # than the network has; the next decision may offer others. Else names of the
    # network's, as objects or strings.
    actions: Optional[List[Action]] = None
    # What all actions of the decision share: an object with a value for each name of
    # features.context, or as many numbers as learner.linucb.context, with a sum of
    # squares of at most 1. Private, as features are.
    context: Optional[Union[List[float], Mapping[str, Any]]] = None
    # Actions that must not be chosen: of actions, where these are given, and else of
    # the network.
    exclude: Optional[List[str]] = None
    # Features of the network's actions: a list of numbers for each, in the network's
    # order, including excluded actions. Contextual learners need these or actions,
    # other learners refuse both. Features are private: they are never sent to another
    # peer.
    features: Optional[List[List[float]]] = None
    # Your id of the decision: a repeated request with the same id gets the same
    # decision. Without it the peer makes one.
    id: Optional[str] = None
    # The decision must not be given to the network: the person has not agreed, or
    # what is on offer follows from answers to others. Without effect with
    # privacy.answers: anyone, where all decisions are given.
    keep: Optional[bool] = None
    # The person whom the decision is about, such as a patient's number. It never
    # leaves this peer's folder. The peer learns from at most as many rewards of one
    # subject as the privacy settings allow.
    subject: Optional[str] = None
    # Version of the table (GET /v1/table) from which you drew the action of this id,
    # while the peer was down. The peer repeats the draw.
    table: Optional[str] = None
    # What your own policy took: required with api.shadow propose or learn, refused
    # with off. Private.
    taken: Optional[Taken] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Ask:
        return cls(
            actions=None if doc.get("actions") is None else [Action.from_json(x) for x in doc["actions"]],
            context=doc.get("context"),
            exclude=doc.get("exclude"),
            features=doc.get("features"),
            id=doc.get("id"),
            keep=doc.get("keep"),
            subject=doc.get("subject"),
            table=doc.get("table"),
            taken=None if doc.get("taken") is None else Taken.from_json(doc["taken"]),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {}
        if self.actions is not None:
            doc["actions"] = [x.to_json() for x in self.actions]
        if self.context is not None:
            doc["context"] = self.context
        if self.exclude is not None:
            doc["exclude"] = self.exclude
        if self.features is not None:
            doc["features"] = self.features
        if self.id is not None:
            doc["id"] = self.id
        if self.keep is not None:
            doc["keep"] = self.keep
        if self.subject is not None:
            doc["subject"] = self.subject
        if self.table is not None:
            doc["table"] = self.table
        if self.taken is not None:
            doc["taken"] = self.taken.to_json()
        return doc


@dataclass(frozen=True)
class AskBatch:
    """The body of POST /v1/decisions/batch."""

    decisions: List[Ask]

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> AskBatch:
        return cls(
            decisions=[Ask.from_json(x) for x in doc["decisions"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "decisions": [x.to_json() for x in self.decisions],
        }
        return doc


@dataclass(frozen=True)
class Block:
    """A part of other documents."""

    # The text is an item of a list.
    item: Optional[bool] = None
    # Rows, of which the first has the names of columns.
    table: Optional[List[List[str]]] = None
    text: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Block:
        return cls(
            item=doc.get("item"),
            table=doc.get("table"),
            text=doc.get("text"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {}
        if self.item is not None:
            doc["item"] = self.item
        if self.table is not None:
            doc["table"] = self.table
        if self.text is not None:
            doc["text"] = self.text
        return doc


@dataclass(frozen=True)
class Decision:
    """The answer of POST /v1/decisions."""

    id: str
    action: str
    # Probability of the action, given the features and what all peers may know; of a
    # learner that samples, by 64 samples. With taken, what you sent; of a draw, what
    # its table says.
    propensity: float
    # Why this action: the learner chose it, or did and knows no reward yet; it is
    # tried a few times first; it is the configured fallback or baseline; your own
    # policy took it; or you drew it. One of learned, exposure, fallback, initial,
    # baseline, application, table.
    source: str
    # What the action was chosen from: the peer's incarnation, its round, and how many
    # releases it had made. Decisions of one model rest on the same releases.
    model: str
    # The peer will learn from the reward.
    counted: bool
    # The decision was made before, for a request with the same id.
    repeated: bool
    # The reward is accepted until then. RFC 3339.
    expires_at: str
    # The decision is not given to the network: nothing of it leaves the site. Its
    # action follows from exact rewards of the site's users. Only at peers with
    # privacy.answers: inside.
    kept: Optional[bool] = None
    # What the peer would have chosen, in shadow mode.
    proposed: Optional[str] = None
    # Why it will not: the subject has reached its limit; a phased learner explores
    # with other decisions; learning has ended; the peer proposes only; the action is
    # retired; or the decision is from before a recovery. One of subject, phase,
    # ended, shadow, retired, recovered.
    uncounted: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Decision:
        return cls(
            id=doc["id"],
            action=doc["action"],
            propensity=doc["propensity"],
            source=doc["source"],
            model=doc["model"],
            counted=doc["counted"],
            repeated=doc["repeated"],
            expires_at=doc["expires_at"],
            kept=doc.get("kept"),
            proposed=doc.get("proposed"),
            uncounted=doc.get("uncounted"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "id": self.id,
            "action": self.action,
            "propensity": self.propensity,
            "source": self.source,
            "model": self.model,
            "counted": self.counted,
            "repeated": self.repeated,
            "expires_at": self.expires_at,
        }
        if self.kept is not None:
            doc["kept"] = self.kept
        if self.proposed is not None:
            doc["proposed"] = self.proposed
        if self.uncounted is not None:
            doc["uncounted"] = self.uncounted
        return doc


@dataclass(frozen=True)
class DecisionBatch:
    """The answer of POST /v1/decisions/batch."""

    # One for each item, in the order of the request.
    outcomes: List[DecisionOutcome]

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> DecisionBatch:
        return cls(
            outcomes=[DecisionOutcome.from_json(x) for x in doc["outcomes"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "outcomes": [x.to_json() for x in self.outcomes],
        }
        return doc


@dataclass(frozen=True)
class DecisionOutcome:
    """A part of other documents."""

    # The HTTP status that the item would have had as a request of its own.
    status: int
    decision: Optional[Decision] = None
    problem: Optional[Problem] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> DecisionOutcome:
        return cls(
            status=doc["status"],
            decision=None if doc.get("decision") is None else Decision.from_json(doc["decision"]),
            problem=None if doc.get("problem") is None else Problem.from_json(doc["problem"]),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "status": self.status,
        }
        if self.decision is not None:
            doc["decision"] = self.decision.to_json()
        if self.problem is not None:
            doc["problem"] = self.problem.to_json()
        return doc


@dataclass(frozen=True)
class Effect:
    """A part of other documents."""

    feature: str
    change: float
    # Standard error of the change.
    error: float
    # Absent for a number, whose value is the upper end of its range; the lower end
    # takes away as much.
    category: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Effect:
        return cls(
            feature=doc["feature"],
            change=doc["change"],
            error=doc["error"],
            category=doc.get("category"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "feature": self.feature,
            "change": self.change,
            "error": self.error,
        }
        if self.category is not None:
            doc["category"] = self.category
        return doc


@dataclass(frozen=True)
class Flaw:
    """A part of other documents."""

    # The field.
    location: str
    message: str

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Flaw:
        return cls(
            location=doc["location"],
            message=doc["message"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "location": self.location,
            "message": self.message,
        }
        return doc


@dataclass(frozen=True)
class Gain:
    """A part of other documents."""

    # In a sentence, what joining has gained, or why that is not known.
    sentence: str
    # What the site would have lost alone on average, in simulations: nothing leaves
    # it, no noise, each reward is learned from when it comes.
    alone: Optional[Range] = None
    # Decisions that the site had made when this was computed.
    decisions: Optional[int] = None
    # What joining has gained: alone less together, draw by draw.
    saved: Optional[Range] = None
    # Of them, those that alone is about; later ones count there as if they cost
    # nothing.
    simulated: Optional[int] = None
    # What has been lost: pulls by how much each action's mean is below the best
    # one's.
    together: Optional[Range] = None
    # Decisions that wait for their rewards at once, in simulations: as many as at
    # most did here while the first rewards came.
    waited: Optional[int] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Gain:
        return cls(
            sentence=doc["sentence"],
            alone=None if doc.get("alone") is None else Range.from_json(doc["alone"]),
            decisions=doc.get("decisions"),
            saved=None if doc.get("saved") is None else Range.from_json(doc["saved"]),
            simulated=doc.get("simulated"),
            together=None if doc.get("together") is None else Range.from_json(doc["together"]),
            waited=doc.get("waited"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "sentence": self.sentence,
        }
        if self.alone is not None:
            doc["alone"] = self.alone.to_json()
        if self.decisions is not None:
            doc["decisions"] = self.decisions
        if self.saved is not None:
            doc["saved"] = self.saved.to_json()
        if self.simulated is not None:
            doc["simulated"] = self.simulated
        if self.together is not None:
            doc["together"] = self.together.to_json()
        if self.waited is not None:
            doc["waited"] = self.waited
        return doc


@dataclass(frozen=True)
class Health:
    """The answer of GET /healthz."""

    # One of ok.
    status: str
    # In a sentence, what the peer does now.
    state: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Health:
        return cls(
            status=doc["status"],
            state=doc.get("state"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "status": self.status,
        }
        if self.state is not None:
            doc["state"] = self.state
        return doc


@dataclass(frozen=True)
class Inside:
    """The answer of GET /v1/inside."""

    # Decisions that were given to the network.
    given: int
    # Decisions that were kept.
    kept: int
    # Of both, those that wait for their reward.
    pending: int
    # In the order of the network. Empty with a learner by features.
    actions: List[InsideAction]
    # What the site's own users have gained by the network, from exact rewards; absent
    # while it is not computed.
    gain: Optional[Gain] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Inside:
        return cls(
            given=doc["given"],
            kept=doc["kept"],
            pending=doc["pending"],
            actions=[InsideAction.from_json(x) for x in doc["actions"]],
            gain=None if doc.get("gain") is None else Gain.from_json(doc["gain"]),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "given": self.given,
            "kept": self.kept,
            "pending": self.pending,
            "actions": [x.to_json() for x in self.actions],
        }
        if self.gain is not None:
            doc["gain"] = self.gain.to_json()
        return doc


@dataclass(frozen=True)
class InsideAction:
    """A part of other documents."""

    name: str
    # Given and kept.
    decisions: int
    # Rewards of own users, given and kept, since the mean last changed; with
    # privacy.inside, as many without noise as would say as much.
    rewards: float
    # Mean of these rewards: exact, or with the noise of privacy.inside; 0 while there
    # is none.
    mean: float
    # Mean from which kept choices follow: own rewards and, as far as others are
    # alike, theirs; 0 while nothing is known.
    estimate: float
    # The network has ended its choices.
    retired: Optional[bool] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> InsideAction:
        return cls(
            name=doc["name"],
            decisions=doc["decisions"],
            rewards=doc["rewards"],
            mean=doc["mean"],
            estimate=doc["estimate"],
            retired=doc.get("retired"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "name": self.name,
            "decisions": self.decisions,
            "rewards": self.rewards,
            "mean": self.mean,
            "estimate": self.estimate,
        }
        if self.retired is not None:
            doc["retired"] = self.retired
        return doc


@dataclass(frozen=True)
class LedgerCheckpoint:
    """A part of other documents."""

    # One of checkpoint.
    kind: str
    # The peer's id, with whose key it has signed.
    peer: str
    # Number of records in the ledger.
    records: int
    # Hash of the last of them, in hexadecimal.
    head: str
    # Ed25519 signature of what docs/network.md says, in hexadecimal.
    signature: str

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> LedgerCheckpoint:
        return cls(
            kind=doc["kind"],
            peer=doc["peer"],
            records=doc["records"],
            head=doc["head"],
            signature=doc["signature"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "kind": self.kind,
            "peer": self.peer,
            "records": self.records,
            "head": self.head,
            "signature": self.signature,
        }
        return doc


@dataclass(frozen=True)
class LedgerReceipt:
    """A part of other documents."""

    # One of receipt.
    kind: str
    # The neighbour's id, with whose key it has signed.
    witness: str
    # Number of records that the ledger had.
    records: int
    # Hash of the last of them, in hexadecimal.
    head: str
    # When, in seconds, by the neighbour's clock. RFC 3339.
    time: str
    # Ed25519 signature of what docs/network.md says, in hexadecimal.
    signature: str

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> LedgerReceipt:
        return cls(
            kind=doc["kind"],
            witness=doc["witness"],
            records=doc["records"],
            head=doc["head"],
            time=doc["time"],
            signature=doc["signature"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "kind": self.kind,
            "witness": self.witness,
            "records": self.records,
            "head": self.head,
            "time": self.time,
            "signature": self.signature,
        }
        return doc


@dataclass(frozen=True)
class LedgerReceipts:
    """The answer of GET /v1/receipts."""

    # What neighbours have signed about this peer's ledger: of each the newest of
    # every day, in ascending order of witness and then of time.
    receipts: List[LedgerReceipt]
    # What other peers have signed about their own ledgers, in ascending order of
    # peer.
    checkpoints: List[LedgerCheckpoint]

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> LedgerReceipts:
        return cls(
            receipts=[LedgerReceipt.from_json(x) for x in doc["receipts"]],
            checkpoints=[LedgerCheckpoint.from_json(x) for x in doc["checkpoints"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "receipts": [x.to_json() for x in self.receipts],
            "checkpoints": [x.to_json() for x in self.checkpoints],
        }
        return doc


@dataclass(frozen=True)
class Network:
    """The answer of GET /v1/network."""

    name: str
    # Of the signed document; 0 for a file that is not signed.
    version: int
    # Of round 0. RFC 3339.
    start: str
    # Length of a round in seconds.
    every: float
    actions: List[str]
    # All peers, by index.
    places: List[Place]
    # Pairs of neighbours, by index.
    links: List[List[int]]
    # Rewards that the network asks each member to have released; absent if it asks
    # for nothing.
    give_least: Optional[int] = None
    # Actions that are not chosen any more.
    retired: Optional[List[str]] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Network:
        return cls(
            name=doc["name"],
            version=doc["version"],
            start=doc["start"],
            every=doc["every"],
            actions=doc["actions"],
            places=[Place.from_json(x) for x in doc["places"]],
            links=doc["links"],
            give_least=doc.get("give_least"),
            retired=doc.get("retired"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "start": self.start,
            "every": self.every,
            "actions": self.actions,
            "places": [x.to_json() for x in self.places],
            "links": self.links,
        }
        if self.give_least is not None:
            doc["give_least"] = self.give_least
        if self.retired is not None:
            doc["retired"] = self.retired
        return doc


@dataclass(frozen=True)
class PageLink:
    """The answer of POST /v1/page-link."""

    # It works once, within a minute.
    url: str

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> PageLink:
        return cls(
            url=doc["url"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "url": self.url,
        }
        return doc


@dataclass(frozen=True)
class Peer:
    """The answer of GET /v1/peers, in a list."""

    # Its index in the network file, from 0.
    peer: int
    name: str
    id: str
    neighbour: bool
    # State of the link; "up" if it works.
    state: str
    frames_in: int
    frames_out: int
    bytes_in: int
    bytes_out: int
    dropped: int
    # Hellos, streams, messages and exchanges of this peer that broke the rules, or
    # were too many.
    refused: int
    # Records in its ledger when it last reported them; 0 for a peer that is not a
    # neighbour.
    ledger_records: int
    # Number of times that its ledger went back.
    alarms: int
    # Why it is refused: its ledger went back to an earlier state; or that two
    # histories of its ledger are signed.
    alarm: Optional[str] = None
    # Its gift: rewards of all actions that it has released, as this peer has them and
    # the peer has signed them; absent while none are known, with noised counts, and
    # where the protocol keeps no sites apart.
    given: Optional[int] = None
    # In a sentence, that this is less than the network asks (give.least), or not
    # known. The peer may be new.
    given_notice: Optional[str] = None
    last_error: Optional[str] = None
    # RFC 3339.
    last_seen: Optional[str] = None
    rtt: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Peer:
        return cls(
            peer=doc["peer"],
            name=doc["name"],
            id=doc["id"],
            neighbour=doc["neighbour"],
            state=doc["state"],
            frames_in=doc["frames_in"],
            frames_out=doc["frames_out"],
            bytes_in=doc["bytes_in"],
            bytes_out=doc["bytes_out"],
            dropped=doc["dropped"],
            refused=doc["refused"],
            ledger_records=doc["ledger_records"],
            alarms=doc["alarms"],
            alarm=doc.get("alarm"),
            given=doc.get("given"),
            given_notice=doc.get("given_notice"),
            last_error=doc.get("last_error"),
            last_seen=doc.get("last_seen"),
            rtt=doc.get("rtt"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "peer": self.peer,
            "name": self.name,
            "id": self.id,
            "neighbour": self.neighbour,
            "state": self.state,
            "frames_in": self.frames_in,
            "frames_out": self.frames_out,
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "dropped": self.dropped,
            "refused": self.refused,
            "ledger_records": self.ledger_records,
            "alarms": self.alarms,
        }
        if self.alarm is not None:
            doc["alarm"] = self.alarm
        if self.given is not None:
            doc["given"] = self.given
        if self.given_notice is not None:
            doc["given_notice"] = self.given_notice
        if self.last_error is not None:
            doc["last_error"] = self.last_error
        if self.last_seen is not None:
            doc["last_seen"] = self.last_seen
        if self.rtt is not None:
            doc["rtt"] = self.rtt
        return doc


@dataclass(frozen=True)
class Place:
    """A part of other documents."""

    # Its index, from 0.
    peer: int
    name: str
    id: str
    # Absent for a peer that is present.
    standing: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Place:
        return cls(
            peer=doc["peer"],
            name=doc["name"],
            id=doc["id"],
            standing=doc.get("standing"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "peer": self.peer,
            "name": self.name,
            "id": self.id,
        }
        if self.standing is not None:
            doc["standing"] = self.standing
        return doc


@dataclass(frozen=True)
class Privacy:
    """The answer of GET /v1/privacy."""

    # False in lockstep, which protects no one.
    private: bool
    # The promise for everything that the peer sends over its whole life; 0 without
    # noise.
    epsilon: float
    delta: float
    # What is compared: which two histories of this site cannot be distinguished with
    # certainty.
    compared: str
    # What is public, without noise.
    public: List[str]
    # What the promise does not cover.
    not_covered: List[str]
    heading: str
    # The page.
    sections: List[Section]

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Privacy:
        return cls(
            private=doc["private"],
            epsilon=doc["epsilon"],
            delta=doc["delta"],
            compared=doc["compared"],
            public=doc["public"],
            not_covered=doc["not_covered"],
            heading=doc["heading"],
            sections=[Section.from_json(x) for x in doc["sections"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "private": self.private,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "compared": self.compared,
            "public": self.public,
            "not_covered": self.not_covered,
            "heading": self.heading,
            "sections": [x.to_json() for x in self.sections],
        }
        return doc


@dataclass(frozen=True)
class Problem:
    """A part of other documents."""

    # The status in words.
    title: str
    # The HTTP status; for an item of a batch, the status that it would have had as a
    # request of its own.
    status: int
    # What is wrong and what to do about it.
    detail: str
    # Code for programs; docs/api.md lists all codes.
    code: str
    # The fields that are wrong.
    errors: Optional[List[Flaw]] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Problem:
        return cls(
            title=doc["title"],
            status=doc["status"],
            detail=doc["detail"],
            code=doc["code"],
            errors=None if doc.get("errors") is None else [Flaw.from_json(x) for x in doc["errors"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.errors is not None:
            doc["errors"] = [x.to_json() for x in self.errors]
        return doc


@dataclass(frozen=True)
class Range:
    """A part of other documents."""

    median: float
    low: float
    high: float

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Range:
        return cls(
            median=doc["median"],
            low=doc["low"],
            high=doc["high"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "median": self.median,
            "low": self.low,
            "high": self.high,
        }
        return doc


@dataclass(frozen=True)
class Ready:
    """The answer of GET /readyz."""

    # One of ok.
    status: str
    # Reason why the peer goes on without one that its protocol needs.
    alone: Optional[str] = None
    # In a sentence, what the peer does now.
    state: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Ready:
        return cls(
            status=doc["status"],
            alone=doc.get("alone"),
            state=doc.get("state"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "status": self.status,
        }
        if self.alone is not None:
            doc["alone"] = self.alone
        if self.state is not None:
            doc["state"] = self.state
        return doc


@dataclass(frozen=True)
class Receipt:
    """The answer of POST /v1/rewards."""

    id: str
    # The same reward was reported before.
    duplicate: bool
    # The peer learns from it, as the decision said.
    counted: bool

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Receipt:
        return cls(
            id=doc["id"],
            duplicate=doc["duplicate"],
            counted=doc["counted"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "id": self.id,
            "duplicate": self.duplicate,
            "counted": self.counted,
        }
        return doc


@dataclass(frozen=True)
class ReceiptBatch:
    """The answer of POST /v1/rewards/batch."""

    # One for each item, in the order of the request.
    outcomes: List[ReceiptOutcome]

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> ReceiptBatch:
        return cls(
            outcomes=[ReceiptOutcome.from_json(x) for x in doc["outcomes"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "outcomes": [x.to_json() for x in self.outcomes],
        }
        return doc


@dataclass(frozen=True)
class ReceiptOutcome:
    """A part of other documents."""

    # The HTTP status that the item would have had as a request of its own.
    status: int
    problem: Optional[Problem] = None
    receipt: Optional[Receipt] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> ReceiptOutcome:
        return cls(
            status=doc["status"],
            problem=None if doc.get("problem") is None else Problem.from_json(doc["problem"]),
            receipt=None if doc.get("receipt") is None else Receipt.from_json(doc["receipt"]),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "status": self.status,
        }
        if self.problem is not None:
            doc["problem"] = self.problem.to_json()
        if self.receipt is not None:
            doc["receipt"] = self.receipt.to_json()
        return doc


@dataclass(frozen=True)
class Reward:
    """The body of POST /v1/rewards."""

    # Id of the decision.
    id: str
    # In the application's units, within api.reward_range, which is [0, 1] unless the
    # network has another one. It may be missing if end is true.
    value: float
    # No further report will come: the decision's window ends, and later reports are
    # refused.
    end: Optional[bool] = None
    # Your id of this report within the decision, so that a repeated one counts once.
    # With api.reward: sum it is required, and otherwise refused.
    report: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Reward:
        return cls(
            id=doc["id"],
            value=doc["value"],
            end=doc.get("end"),
            report=doc.get("report"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "id": self.id,
            "value": self.value,
        }
        if self.end is not None:
            doc["end"] = self.end
        if self.report is not None:
            doc["report"] = self.report
        return doc


@dataclass(frozen=True)
class RewardBatch:
    """The body of POST /v1/rewards/batch."""

    rewards: List[Reward]

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> RewardBatch:
        return cls(
            rewards=[Reward.from_json(x) for x in doc["rewards"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "rewards": [x.to_json() for x in self.rewards],
        }
        return doc


@dataclass(frozen=True)
class Section:
    """A part of other documents."""

    title: str
    blocks: List[Block]

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Section:
        return cls(
            title=doc["title"],
            blocks=[Block.from_json(x) for x in doc["blocks"]],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "title": self.title,
            "blocks": [x.to_json() for x in self.blocks],
        }
        return doc


@dataclass(frozen=True)
class Status:
    """The answer of GET /v1/status."""

    # The peer's id, derived from its public key.
    id: str
    # Its name in the network file.
    name: str
    # Its index in the network file, from 0.
    peer: int
    network: str
    # In a sentence, what the peer does now.
    state: str
    # Links to all neighbours are up.
    links_up: bool
    # Rounds played.
    round: int
    # Rounds to play.
    rounds: int
    # Pulls of each arm; null with an application whose counts are noised
    # (privacy.counts), or whose actions follow from features.
    pulls: Optional[List[int]]
    # Regret of the simulated world over all rounds; 0 with an application.
    regret: float
    # Estimated mean reward of each arm, computed from releases only, in the
    # application's units (api.reward_range); 0 while nothing is known.
    means: Optional[List[float]]
    epsilon_spent: float
    epsilon_left: float
    # Releases drawn.
    released: int
    # What was refused because another peer broke the protocol: messages that reached
    # the learning, and all that /v1/peers counts as refused.
    refused: int
    # Rounds that passed without this peer: it was busy, down or blocked.
    skipped: int
    # Messages dropped because their sender sent too many in a round.
    flooded: int
    # The last fault of another peer.
    last_fault: str
    bytes_in: int
    bytes_out: int
    # Outgoing messages dropped.
    dropped: int
    addresses: Optional[List[str]]
    # Reason why nothing is released; empty while releases are made.
    blocked_reason: str
    # Reason why this peer goes on without one that its protocol needs, such as a
    # coordinator; empty while that answers.
    alone_reason: str
    # Whether rewards are learned from: the network has not started; they are; the
    # charged budget ends soon, or has for some actions; they are no more. One of
    # waiting, learning, ending, ended.
    learning: str
    # What there is to know about learning; empty if nothing is.
    notice: str
    # Leaves that the charged budget still pays for, of the stream with fewest.
    remaining_leaves: int
    # Decisions that wait for their reward.
    pending: int
    ledger_records: int
    # Round to which a recovery would go back: the last one whose ledger half of the
    # neighbours remember.
    confirmed_round: int
    # Number of this life of the peer: the second, counted from 2020, in which it
    # began. A restart keeps the number; a recovery after a restored backup makes a
    # new one.
    incarnation: int
    # Times that a key was seen to be used twice: connections of another process with
    # this peer's own, and peers, this one included, of whose ledger two histories are
    # signed.
    clones: int
    # Connections refused because their peer is not in the network file.
    strangers: int
    # Connections refused before the peer was known: too many at once or in a second,
    # from one address or from all.
    limited: int
    # The disk is full: decisions and rewards are refused until there is room.
    disk_full: bool
    # How alike other sites are to this one, the most alike first, as a learner that
    # weighs sites judges from what all have released; absent with others, and until
    # this site and another one have released the same action.
    alike: Optional[List[Alike]] = None
    # The action that is best for this site's own users, if its own releases show one,
    # with an error of at most 5 % at all looks together, while means stay the same.
    # For phases without a window only.
    best: Optional[str] = None
    # With a learner by features: how many numbers it learns. Absent with others.
    by_features: Optional[int] = None
    # Seconds, at least, by which this peer's clock is ahead of the median of other
    # peers: 0 if the time of answers on the way explains the difference; absent until
    # one has answered, and without a signed document.
    clock_ahead_seconds: Optional[float] = None
    # Peers that this one, which signs versions of the network's document, has to hear
    # before it signs: its folder may be an old copy.
    document_awaits: Optional[List[str]] = None
    # In a sentence, that the network's document is split, cannot change while signers
    # are not heard, or waits for a signature of this peer. It is part of state.
    document_notice: Optional[str] = None
    # Actions whose mean reward for this site's own users has changed since the
    # process started, by its own releases, with an error of at most 5 % at all times
    # together; protocol.phases.window then helps. For phases without a window only.
    drifted: Optional[List[str]] = None
    # Named features of the context, and then of actions, as in features.context and
    # features.action; absent without names.
    features: Optional[List[str]] = None
    # What this site's own users have gained by joining the network, computed now and
    # then from public data; absent in lockstep and of a peer without arms. With
    # privacy.answers: inside it follows from exact rewards, and is in /v1/inside.
    gain: Optional[Gain] = None
    # The peer's own gift: rewards of all actions that it has released; as given of
    # /v1/peers.
    given: Optional[int] = None
    # In a sentence, that this is less than the network asks (give.least).
    given_notice: Optional[str] = None
    # About when learning ends; absent if no clock says so. RFC 3339.
    learning_until: Optional[str] = None
    # With a learner by features: by how much the estimated reward of any action is
    # off at most, in its units, at all times together, except with probability 1 %.
    # No choice depends on it. Absent while nothing is known.
    parameter_error: Optional[float] = None
    # In a sentence, that the application chooses (api.shadow), or what share the
    # baseline has and what that costs a decision by today's public estimates.
    policy_notice: Optional[str] = None
    # With a learner by features: how many eigenvalues of the sum of products of
    # features noise has made negative. They count as 0 where actions are chosen.
    raised_eigenvalues: Optional[int] = None
    # Other sites behind the estimates that have not been heard for an hour, the one
    # with the greatest share first.
    stopped: Optional[List[Stopped]] = None
    # In a sentence, what part of the estimates rests on such sites, if it is a
    # twentieth or more.
    stopped_notice: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Status:
        return cls(
            id=doc["id"],
            name=doc["name"],
            peer=doc["peer"],
            network=doc["network"],
            state=doc["state"],
            links_up=doc["links_up"],
            round=doc["round"],
            rounds=doc["rounds"],
            pulls=doc["pulls"],
            regret=doc["regret"],
            means=doc["means"],
            epsilon_spent=doc["epsilon_spent"],
            epsilon_left=doc["epsilon_left"],
            released=doc["released"],
            refused=doc["refused"],
            skipped=doc["skipped"],
            flooded=doc["flooded"],
            last_fault=doc["last_fault"],
            bytes_in=doc["bytes_in"],
            bytes_out=doc["bytes_out"],
            dropped=doc["dropped"],
            addresses=doc["addresses"],
            blocked_reason=doc["blocked_reason"],
            alone_reason=doc["alone_reason"],
            learning=doc["learning"],
            notice=doc["notice"],
            remaining_leaves=doc["remaining_leaves"],
            pending=doc["pending"],
            ledger_records=doc["ledger_records"],
            confirmed_round=doc["confirmed_round"],
            incarnation=doc["incarnation"],
            clones=doc["clones"],
            strangers=doc["strangers"],
            limited=doc["limited"],
            disk_full=doc["disk_full"],
            alike=None if doc.get("alike") is None else [Alike.from_json(x) for x in doc["alike"]],
            best=doc.get("best"),
            by_features=doc.get("by_features"),
            clock_ahead_seconds=doc.get("clock_ahead_seconds"),
            document_awaits=doc.get("document_awaits"),
            document_notice=doc.get("document_notice"),
            drifted=doc.get("drifted"),
            features=doc.get("features"),
            gain=None if doc.get("gain") is None else Gain.from_json(doc["gain"]),
            given=doc.get("given"),
            given_notice=doc.get("given_notice"),
            learning_until=doc.get("learning_until"),
            parameter_error=doc.get("parameter_error"),
            policy_notice=doc.get("policy_notice"),
            raised_eigenvalues=doc.get("raised_eigenvalues"),
            stopped=None if doc.get("stopped") is None else [Stopped.from_json(x) for x in doc["stopped"]],
            stopped_notice=doc.get("stopped_notice"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "id": self.id,
            "name": self.name,
            "peer": self.peer,
            "network": self.network,
            "state": self.state,
            "links_up": self.links_up,
            "round": self.round,
            "rounds": self.rounds,
            "pulls": self.pulls,
            "regret": self.regret,
            "means": self.means,
            "epsilon_spent": self.epsilon_spent,
            "epsilon_left": self.epsilon_left,
            "released": self.released,
            "refused": self.refused,
            "skipped": self.skipped,
            "flooded": self.flooded,
            "last_fault": self.last_fault,
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "dropped": self.dropped,
            "addresses": self.addresses,
            "blocked_reason": self.blocked_reason,
            "alone_reason": self.alone_reason,
            "learning": self.learning,
            "notice": self.notice,
            "remaining_leaves": self.remaining_leaves,
            "pending": self.pending,
            "ledger_records": self.ledger_records,
            "confirmed_round": self.confirmed_round,
            "incarnation": self.incarnation,
            "clones": self.clones,
            "strangers": self.strangers,
            "limited": self.limited,
            "disk_full": self.disk_full,
        }
        if self.alike is not None:
            doc["alike"] = [x.to_json() for x in self.alike]
        if self.best is not None:
            doc["best"] = self.best
        if self.by_features is not None:
            doc["by_features"] = self.by_features
        if self.clock_ahead_seconds is not None:
            doc["clock_ahead_seconds"] = self.clock_ahead_seconds
        if self.document_awaits is not None:
            doc["document_awaits"] = self.document_awaits
        if self.document_notice is not None:
            doc["document_notice"] = self.document_notice
        if self.drifted is not None:
            doc["drifted"] = self.drifted
        if self.features is not None:
            doc["features"] = self.features
        if self.gain is not None:
            doc["gain"] = self.gain.to_json()
        if self.given is not None:
            doc["given"] = self.given
        if self.given_notice is not None:
            doc["given_notice"] = self.given_notice
        if self.learning_until is not None:
            doc["learning_until"] = self.learning_until
        if self.parameter_error is not None:
            doc["parameter_error"] = self.parameter_error
        if self.policy_notice is not None:
            doc["policy_notice"] = self.policy_notice
        if self.raised_eigenvalues is not None:
            doc["raised_eigenvalues"] = self.raised_eigenvalues
        if self.stopped is not None:
            doc["stopped"] = [x.to_json() for x in self.stopped]
        if self.stopped_notice is not None:
            doc["stopped_notice"] = self.stopped_notice
        return doc


@dataclass(frozen=True)
class Stopped:
    """A part of other documents."""

    # Its index in the network file, from 0.
    peer: int
    name: str
    # The share of the estimates that rests on it, as a mean over actions of which
    # something is known.
    share: float
    # Its rewards that are released.
    rewards: float
    # Newest sign of life; absent if there was none since this process began. RFC
    # 3339.
    last_seen: Optional[str] = None

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Stopped:
        return cls(
            peer=doc["peer"],
            name=doc["name"],
            share=doc["share"],
            rewards=doc["rewards"],
            last_seen=doc.get("last_seen"),
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "peer": self.peer,
            "name": self.name,
            "share": self.share,
            "rewards": self.rewards,
        }
        if self.last_seen is not None:
            doc["last_seen"] = self.last_seen
        return doc


@dataclass(frozen=True)
class Table:
    """The answer of GET /v1/table."""

    # Of these contents. Report it with what is drawn from them.
    version: str
    # What the weights follow from; as of a decision.
    model: str
    # Makes draws of different tables independent.
    salt: str
    # The actions that this peer offers, in the order of the draw.
    actions: List[Weight]
    # RFC 3339.
    made_at: str

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Table:
        return cls(
            version=doc["version"],
            model=doc["model"],
            salt=doc["salt"],
            actions=[Weight.from_json(x) for x in doc["actions"]],
            made_at=doc["made_at"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "version": self.version,
            "model": self.model,
            "salt": self.salt,
            "actions": [x.to_json() for x in self.actions],
            "made_at": self.made_at,
        }
        return doc


@dataclass(frozen=True)
class Taken:
    """A part of other documents."""

    # An action on offer.
    action: str
    # At least 1e-9: the probability with which your policy took it.
    propensity: float

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Taken:
        return cls(
            action=doc["action"],
            propensity=doc["propensity"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "action": self.action,
            "propensity": self.propensity,
        }
        return doc


@dataclass(frozen=True)
class Weight:
    """A part of other documents."""

    name: str
    # The action's probability is in proportion to it. The sum of all is from 1 to
    # 1,048,576; if all actions that may be drawn have 0, each is equally likely.
    weight: int

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Weight:
        return cls(
            name=doc["name"],
            weight=doc["weight"],
        )

    def to_json(self) -> Dict[str, Any]:
        doc: Dict[str, Any] = {
            "name": self.name,
            "weight": self.weight,
        }
        return doc
