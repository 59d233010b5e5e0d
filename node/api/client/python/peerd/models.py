# Generated from docs/openapi.json by: go run ./scripts/models; do not edit.
"""The documents of peerd's API."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T", bound="Document")


@dataclass(frozen=True)
class Document:
    """What all documents can do. A field that may be missing is None then; fields that are not known are ignored."""

    @classmethod
    def from_json(cls: Type[T], doc: Dict[str, Any]) -> T:
        values = {}
        for name, required, read in _parts(cls):
            value = doc[name] if required else doc.get(name)
            values[name] = read(value) if read else value
        return cls(**values)

    def to_json(self) -> Dict[str, Any]:
        doc = {}
        for name, required, _ in _parts(type(self)):
            value = getattr(self, name)
            if required or value is not None:
                doc[name] = _write(value)
        return doc


@lru_cache(maxsize=None)
def _parts(of: Type[Document]) -> List[Tuple[str, bool, Optional[Callable[[Any], Any]]]]:
    """The fields of a document: the name, whether it is required, and what reads it if that is not plain JSON."""
    kinds = get_type_hints(of)
    return [(f.name, f.default is MISSING, _reader(kinds[f.name])) for f in fields(of)]


def _reader(kind: Any) -> Optional[Callable[[Any], Any]]:
    if isinstance(kind, type) and issubclass(kind, Document):
        return kind.from_json
    of = get_args(kind)
    one = _reader(of[0]) if of else None
    if one is None:
        return None
    if get_origin(kind) is list:
        return lambda value: [one(x) for x in value]
    return lambda value: None if value is None else one(value)  # of a kind and None


def _write(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], Document):
        return [x.to_json() for x in value]
    return value.to_json() if isinstance(value, Document) else value


@dataclass(frozen=True)
class Action(Document):
    """A part of other documents."""

    # Your id of the action, which the decision returns; without features the name of
    # one of the network's.
    id: str
    # With a learner by features, and only then: an object with a value for each name
    # of features.action, or as many numbers as learner.linucb.features, with a sum of
    # squares of at most 1. Private.
    features: Optional[Union[List[float], Mapping[str, Any]]] = None


@dataclass(frozen=True)
class Alike(Document):
    """A part of other documents."""

    # Its index in the network file, from 0.
    peer: int
    name: str
    # By how much the mean reward of an action differs between both sites, as a
    # standard deviation in the units of rewards, as far as is known.
    apart: float


@dataclass(frozen=True)
class Arm(Document):
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


@dataclass(frozen=True)
class Ask(Document):
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
    # leaves this peer's folder. With api.subject: required, as a new folder has it, a
    # decision without it is refused (422). The peer learns from at most as many
    # rewards of one subject as the privacy settings allow.
    subject: Optional[str] = None
    # Version of the table (GET /v1/table) from which you drew the action of this id,
    # while the peer was down. The peer repeats the draw.
    table: Optional[str] = None
    # What your own policy took: required with api.shadow propose or learn, refused
    # with off. Private.
    taken: Optional[Taken] = None


@dataclass(frozen=True)
class AskBatch(Document):
    """The body of POST /v1/decisions/batch."""

    decisions: List[Ask]


@dataclass(frozen=True)
class Block(Document):
    """A part of other documents."""

    # The text is an item of a list.
    item: Optional[bool] = None
    # Rows, of which the first has the names of columns.
    table: Optional[List[List[str]]] = None
    text: Optional[str] = None


@dataclass(frozen=True)
class Decision(Document):
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


@dataclass(frozen=True)
class DecisionBatch(Document):
    """The answer of POST /v1/decisions/batch."""

    # One for each item, in the order of the request.
    outcomes: List[DecisionOutcome]


@dataclass(frozen=True)
class DecisionOutcome(Document):
    """A part of other documents."""

    # The HTTP status that the item would have had as a request of its own.
    status: int
    decision: Optional[Decision] = None
    problem: Optional[Problem] = None


@dataclass(frozen=True)
class Effect(Document):
    """A part of other documents."""

    feature: str
    change: float
    # Standard error of the change.
    error: float
    # Absent for a number, whose value is the upper end of its range; the lower end
    # takes away as much.
    category: Optional[str] = None


@dataclass(frozen=True)
class Flaw(Document):
    """A part of other documents."""

    # The field.
    location: str
    message: str


@dataclass(frozen=True)
class Gain(Document):
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


@dataclass(frozen=True)
class Health(Document):
    """The answer of GET /healthz."""

    # One of ok.
    status: str
    # In a sentence, what the peer does now.
    state: Optional[str] = None


@dataclass(frozen=True)
class Inside(Document):
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


@dataclass(frozen=True)
class InsideAction(Document):
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


@dataclass(frozen=True)
class LedgerCheckpoint(Document):
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


@dataclass(frozen=True)
class LedgerReceipt(Document):
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


@dataclass(frozen=True)
class LedgerReceipts(Document):
    """The answer of GET /v1/receipts."""

    # What neighbours have signed about this peer's ledger: of each the newest of
    # every day, in ascending order of witness and then of time.
    receipts: List[LedgerReceipt]
    # What other peers have signed about their own ledgers, in ascending order of
    # peer.
    checkpoints: List[LedgerCheckpoint]


@dataclass(frozen=True)
class Network(Document):
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


@dataclass(frozen=True)
class PageLink(Document):
    """The answer of POST /v1/page-link."""

    # It works once, within a minute. Without api.listen it is a path, for which peerd
    # page answers.
    url: str


@dataclass(frozen=True)
class Peer(Document):
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
    # It has dialled this peer, by a connection that lasts.
    dialled: Optional[bool] = None
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


@dataclass(frozen=True)
class Place(Document):
    """A part of other documents."""

    # Its index, from 0.
    peer: int
    name: str
    id: str
    # Absent for a peer that is present.
    standing: Optional[str] = None


@dataclass(frozen=True)
class Privacy(Document):
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


@dataclass(frozen=True)
class Problem(Document):
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


@dataclass(frozen=True)
class Range(Document):
    """A part of other documents."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Ready(Document):
    """The answer of GET /readyz."""

    # One of ok.
    status: str
    # Reason why the peer goes on without one that its protocol needs.
    alone: Optional[str] = None
    # In a sentence, what the peer does now.
    state: Optional[str] = None


@dataclass(frozen=True)
class Receipt(Document):
    """The answer of POST /v1/rewards."""

    id: str
    # The same reward was reported before.
    duplicate: bool
    # The peer learns from it, as the decision said.
    counted: bool


@dataclass(frozen=True)
class ReceiptBatch(Document):
    """The answer of POST /v1/rewards/batch."""

    # One for each item, in the order of the request.
    outcomes: List[ReceiptOutcome]


@dataclass(frozen=True)
class ReceiptOutcome(Document):
    """A part of other documents."""

    # The HTTP status that the item would have had as a request of its own.
    status: int
    problem: Optional[Problem] = None
    receipt: Optional[Receipt] = None


@dataclass(frozen=True)
class Reward(Document):
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


@dataclass(frozen=True)
class RewardBatch(Document):
    """The body of POST /v1/rewards/batch."""

    rewards: List[Reward]


@dataclass(frozen=True)
class Section(Document):
    """A part of other documents."""

    title: str
    blocks: List[Block]


@dataclass(frozen=True)
class Status(Document):
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
    # In a sentence, without api.subject: required, how many decisions since the start
    # of the process that count named no user; absent for none, and with
    # privacy.counts: noised.
    users_notice: Optional[str] = None


@dataclass(frozen=True)
class Stopped(Document):
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


@dataclass(frozen=True)
class Table(Document):
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


@dataclass(frozen=True)
class Taken(Document):
    """A part of other documents."""

    # An action on offer.
    action: str
    # At least 1e-9: the probability with which your policy took it.
    propensity: float


@dataclass(frozen=True)
class Weight(Document):
    """A part of other documents."""

    name: str
    # The action's probability is in proportion to it. The sum of all is from 1 to
    # 1,048,576; if all actions that may be drawn have 0, each is equally likely.
    weight: int
