// Generated from docs/openapi.json by: go run ./scripts/models; do not edit.

/** A part of other documents. */
export interface Action {
  /** Your id of the action, which the decision returns; without features the name of
   * one of the network's. */
  id: string;
  /** With a learner by features, and only then: an object with a value for each name
   * of features.action, or as many numbers as learner.linucb.features, with a sum of
   * squares of at most 1. Private. */
  features?: number[] | Record<string, number | string>;
}

/** A part of other documents. */
export interface Alike {
  /** Its index in the network file, from 0. */
  peer: number;
  name: string;
  /** By how much the mean reward of an action differs between both sites, as a
   * standard deviation in the units of rewards, as far as is known. */
  apart: number;
}

/** The answer of GET /v1/arms, in a list. */
export interface Arm {
  name: string;
  /** Number of times this peer chose it; 0 with an application whose counts are
   * noised (privacy.counts), or whose actions follow from features. */
  pulls: number;
  /** Estimated mean reward, from releases only; noise in few samples can put it
   * outside of api.reward_range, whose units it has. With a learner by features it
   * is 0 or, with features.context alone, the mean in the middle of these. */
  estimate: number;
  /** Number of rewards behind the estimate, as if one site had seen all of them; 0
   * while nothing is known. */
  samples: number;
  /** Standard deviation of the privacy noise in the estimate, in its units. */
  noise_sd: number;
  /** Own rewards behind the estimate: those that are released. 0 if the protocol
   * keeps no sites apart. */
  own: number;
  /** Rewards of other sites behind the estimate; with a learner that weighs sites,
   * the number of own rewards that would say as much. 0 if the protocol keeps no
   * sites apart. */
  borrowed: number;
  /** Other sites that have released rewards of the action; 0 if the protocol keeps no
   * sites apart. */
  borrowed_sites: number;
  /** With such a feature: what the values of each named feature of the context add to
   * the estimate, computed from releases only. */
  effects?: Effect[];
  /** With such a feature: the standard error of the estimate. */
  error?: number;
  /** The network has ended its choices. */
  retired?: boolean;
}

/** The body of POST /v1/decisions. */
export interface Ask {
  /** Actions on offer. By features, with their features and ids of your own, no more
   * than the network has; the next decision may offer others. Else names of the
   * network's, as objects or strings. */
  actions?: Action[];
  /** What all actions of the decision share: an object with a value for each name of
   * features.context, or as many numbers as learner.linucb.context, with a sum of
   * squares of at most 1. Private, as features are. */
  context?: number[] | Record<string, number | string>;
  /** Actions that must not be chosen: of actions, where these are given, and else of
   * the network. */
  exclude?: string[];
  /** Features of the network's actions: a list of numbers for each, in the network's
   * order, including excluded actions. Contextual learners need these or actions,
   * other learners refuse both. Features are private: they are never sent to another
   * peer. */
  features?: number[][];
  /** Your id of the decision: a repeated request with the same id gets the same
   * decision. Without it the peer makes one. */
  id?: string;
  /** The decision must not be given to the network: the person has not agreed, or
   * what is on offer follows from answers to others. Without effect with
   * privacy.answers: anyone, where all decisions are given. */
  keep?: boolean;
  /** The person whom the decision is about, such as a patient's number. It never
   * leaves this peer's folder. With api.subject: required, as a new folder has it, a
   * decision without it is refused (422). The peer learns from at most as many
   * rewards of one subject as the privacy settings allow. */
  subject?: string;
  /** Version of the table (GET /v1/table) from which you drew the action of this id,
   * while the peer was down. The peer repeats the draw. */
  table?: string;
  /** What your own policy took: required with api.shadow propose or learn, refused
   * with off. Private. */
  taken?: Taken;
}

/** The body of POST /v1/decisions/batch. */
export interface AskBatch {
  decisions: Ask[];
}

/** A part of other documents. */
export interface Block {
  /** The text is an item of a list. */
  item?: boolean;
  /** Rows, of which the first has the names of columns. */
  table?: string[][];
  text?: string;
}

/** The answer of POST /v1/decisions. */
export interface Decision {
  id: string;
  action: string;
  /** Probability of the action, given the features and what all peers may know; of a
   * learner that samples, by 64 samples. With taken, what you sent; of a draw, what
   * its table says. */
  propensity: number;
  /** Why this action: the learner chose it, or did and knows no reward yet; it is
   * tried a few times first; it is the configured fallback or baseline; your own
   * policy took it; or you drew it. One of learned, exposure, fallback, initial,
   * baseline, application, table. */
  source: "learned" | "exposure" | "fallback" | "initial" | "baseline" | "application" | "table";
  /** What the action was chosen from: the peer's incarnation, its round, and how many
   * releases it had made. Decisions of one model rest on the same releases. */
  model: string;
  /** The peer will learn from the reward. */
  counted: boolean;
  /** The decision was made before, for a request with the same id. */
  repeated: boolean;
  /** The reward is accepted until then. RFC 3339. */
  expires_at: string;
  /** The decision is not given to the network: nothing of it leaves the site. Its
   * action follows from exact rewards of the site's users. Only at peers with
   * privacy.answers: inside. */
  kept?: boolean;
  /** What the peer would have chosen, in shadow mode. */
  proposed?: string;
  /** Why it will not: the subject has reached its limit; a phased learner explores
   * with other decisions; learning has ended; the peer proposes only; the action is
   * retired; or the decision is from before a recovery. One of subject, phase,
   * ended, shadow, retired, recovered. */
  uncounted?: "subject" | "phase" | "ended" | "shadow" | "retired" | "recovered";
}

/** The answer of POST /v1/decisions/batch. */
export interface DecisionBatch {
  /** One for each item, in the order of the request. */
  outcomes: DecisionOutcome[];
}

/** A part of other documents. */
export interface DecisionOutcome {
  /** The HTTP status that the item would have had as a request of its own. */
  status: number;
  decision?: Decision;
  problem?: Problem;
}

/** A part of other documents. */
export interface Effect {
  feature: string;
  change: number;
  /** Standard error of the change. */
  error: number;
  /** Absent for a number, whose value is the upper end of its range; the lower end
   * takes away as much. */
  category?: string;
}

/** A part of other documents. */
export interface Flaw {
  /** The field. */
  location: string;
  message: string;
}

/** A part of other documents. */
export interface Gain {
  /** In a sentence, what joining has gained, or why that is not known. */
  sentence: string;
  /** What the site would have lost alone on average, in simulations: nothing leaves
   * it, no noise, each reward is learned from when it comes. */
  alone?: Range;
  /** Decisions that the site had made when this was computed. */
  decisions?: number;
  /** What joining has gained: alone less together, draw by draw. */
  saved?: Range;
  /** Of them, those that alone is about; later ones count there as if they cost
   * nothing. */
  simulated?: number;
  /** What has been lost: pulls by how much each action's mean is below the best
   * one's. */
  together?: Range;
  /** Decisions that wait for their rewards at once, in simulations: as many as at
   * most did here while the first rewards came. */
  waited?: number;
}

/** The answer of GET /healthz. */
export interface Health {
  /** One of ok. */
  status: "ok";
  /** In a sentence, what the peer does now. */
  state?: string;
}

/** The answer of GET /v1/inside. */
export interface Inside {
  /** Decisions that were given to the network. */
  given: number;
  /** Decisions that were kept. */
  kept: number;
  /** Of both, those that wait for their reward. */
  pending: number;
  /** In the order of the network. Empty with a learner by features. */
  actions: InsideAction[];
  /** What the site's own users have gained by the network, from exact rewards; absent
   * while it is not computed. */
  gain?: Gain;
}

/** A part of other documents. */
export interface InsideAction {
  name: string;
  /** Given and kept. */
  decisions: number;
  /** Rewards of own users, given and kept, since the mean last changed; with
   * privacy.inside, as many without noise as would say as much. */
  rewards: number;
  /** Mean of these rewards: exact, or with the noise of privacy.inside; 0 while there
   * is none. */
  mean: number;
  /** Mean from which kept choices follow: own rewards and, as far as others are
   * alike, theirs; 0 while nothing is known. */
  estimate: number;
  /** The network has ended its choices. */
  retired?: boolean;
}

/** A part of other documents. */
export interface LedgerCheckpoint {
  /** One of checkpoint. */
  kind: "checkpoint";
  /** The peer's id, with whose key it has signed. */
  peer: string;
  /** Number of records in the ledger. */
  records: number;
  /** Hash of the last of them, in hexadecimal. */
  head: string;
  /** Ed25519 signature of what docs/network.md says, in hexadecimal. */
  signature: string;
}

/** A part of other documents. */
export interface LedgerReceipt {
  /** One of receipt. */
  kind: "receipt";
  /** The neighbour's id, with whose key it has signed. */
  witness: string;
  /** Number of records that the ledger had. */
  records: number;
  /** Hash of the last of them, in hexadecimal. */
  head: string;
  /** When, in seconds, by the neighbour's clock. RFC 3339. */
  time: string;
  /** Ed25519 signature of what docs/network.md says, in hexadecimal. */
  signature: string;
}

/** The answer of GET /v1/receipts. */
export interface LedgerReceipts {
  /** What neighbours have signed about this peer's ledger: of each the newest of
   * every day, in ascending order of witness and then of time. */
  receipts: LedgerReceipt[];
  /** What other peers have signed about their own ledgers, in ascending order of
   * peer. */
  checkpoints: LedgerCheckpoint[];
}

/** The answer of GET /v1/network. */
export interface Network {
  name: string;
  /** Of the signed document; 0 for a file that is not signed. */
  version: number;
  /** Of round 0. RFC 3339. */
  start: string;
  /** Length of a round in seconds. */
  every: number;
  actions: string[];
  /** All peers, by index. */
  places: Place[];
  /** Pairs of neighbours, by index. */
  links: number[][];
  /** Rewards that the network asks each member to have released; absent if it asks
   * for nothing. */
  give_least?: number;
  /** Actions that are not chosen any more. */
  retired?: string[];
}

/** The answer of POST /v1/page-link. */
export interface PageLink {
  /** It works once, within a minute. Without api.listen it is a path, for which peerd
   * page answers. */
  url: string;
}

/** The answer of GET /v1/peers, in a list. */
export interface Peer {
  /** Its index in the network file, from 0. */
  peer: number;
  name: string;
  id: string;
  neighbour: boolean;
  /** State of the link; "up" if it works. */
  state: string;
  frames_in: number;
  frames_out: number;
  bytes_in: number;
  bytes_out: number;
  dropped: number;
  /** Hellos, streams, messages and exchanges of this peer that broke the rules, or
   * were too many. */
  refused: number;
  /** Records in its ledger when it last reported them; 0 for a peer that is not a
   * neighbour. */
  ledger_records: number;
  /** Number of times that its ledger went back. */
  alarms: number;
  /** Why it is refused: its ledger went back to an earlier state; or that two
   * histories of its ledger are signed. */
  alarm?: string;
  /** It has dialled this peer, by a connection that lasts. */
  dialled?: boolean;
  /** Its gift: rewards of all actions that it has released, as this peer has them and
   * the peer has signed them; absent while none are known, with noised counts, and
   * where the protocol keeps no sites apart. */
  given?: number;
  /** In a sentence, that this is less than the network asks (give.least), or not
   * known. The peer may be new. */
  given_notice?: string;
  last_error?: string;
  /** RFC 3339. */
  last_seen?: string;
  rtt?: string;
}

/** A part of other documents. */
export interface Place {
  /** Its index, from 0. */
  peer: number;
  name: string;
  id: string;
  /** Absent for a peer that is present. */
  standing?: string;
}

/** The answer of GET /v1/privacy. */
export interface Privacy {
  /** False in lockstep, which protects no one. */
  private: boolean;
  /** The promise for everything that the peer sends over its whole life; 0 without
   * noise. */
  epsilon: number;
  delta: number;
  /** What is compared: which two histories of this site cannot be distinguished with
   * certainty. */
  compared: string;
  /** What is public, without noise. */
  public: string[];
  /** What the promise does not cover. */
  not_covered: string[];
  heading: string;
  /** The page. */
  sections: Section[];
}

/** A part of other documents. */
export interface Problem {
  /** The status in words. */
  title: string;
  /** The HTTP status; for an item of a batch, the status that it would have had as a
   * request of its own. */
  status: number;
  /** What is wrong and what to do about it. */
  detail: string;
  /** Code for programs; docs/api.md lists all codes. */
  code: string;
  /** The fields that are wrong. */
  errors?: Flaw[];
}

/** A part of other documents. */
export interface Range {
  median: number;
  low: number;
  high: number;
}

/** The answer of GET /readyz. */
export interface Ready {
  /** One of ok. */
  status: "ok";
  /** Reason why the peer goes on without one that its protocol needs. */
  alone?: string;
  /** In a sentence, what the peer does now. */
  state?: string;
}

/** The answer of POST /v1/rewards. */
export interface Receipt {
  id: string;
  /** The same reward was reported before. */
  duplicate: boolean;
  /** The peer learns from it, as the decision said. */
  counted: boolean;
}

/** The answer of POST /v1/rewards/batch. */
export interface ReceiptBatch {
  /** One for each item, in the order of the request. */
  outcomes: ReceiptOutcome[];
}

/** A part of other documents. */
export interface ReceiptOutcome {
  /** The HTTP status that the item would have had as a request of its own. */
  status: number;
  problem?: Problem;
  receipt?: Receipt;
}

/** The body of POST /v1/rewards. */
export interface Reward {
  /** Id of the decision. */
  id: string;
  /** In the application's units, within api.reward_range, which is [0, 1] unless the
   * network has another one. It may be missing if end is true. */
  value: number;
  /** No further report will come: the decision's window ends, and later reports are
   * refused. */
  end?: boolean;
  /** Your id of this report within the decision, so that a repeated one counts once.
   * With api.reward: sum it is required, and otherwise refused. */
  report?: string;
}

/** The body of POST /v1/rewards/batch. */
export interface RewardBatch {
  rewards: Reward[];
}

/** A part of other documents. */
export interface Section {
  title: string;
  blocks: Block[];
}

/** The answer of GET /v1/status. */
export interface Status {
  /** The peer's id, derived from its public key. */
  id: string;
  /** Its name in the network file. */
  name: string;
  /** Its index in the network file, from 0. */
  peer: number;
  network: string;
  /** In a sentence, what the peer does now. */
  state: string;
  /** Links to all neighbours are up. */
  links_up: boolean;
  /** Rounds played. */
  round: number;
  /** Rounds to play. */
  rounds: number;
  /** Pulls of each arm; null with an application whose counts are noised
   * (privacy.counts), or whose actions follow from features. */
  pulls: number[] | null;
  /** Regret of the simulated world over all rounds; 0 with an application. */
  regret: number;
  /** Estimated mean reward of each arm, computed from releases only, in the
   * application's units (api.reward_range); 0 while nothing is known. */
  means: number[] | null;
  epsilon_spent: number;
  epsilon_left: number;
  /** Releases drawn. */
  released: number;
  /** What was refused because another peer broke the protocol: messages that reached
   * the learning, and all that /v1/peers counts as refused. */
  refused: number;
  /** Rounds that passed without this peer: it was busy, down or blocked. */
  skipped: number;
  /** Messages dropped because their sender sent too many in a round. */
  flooded: number;
  /** The last fault of another peer. */
  last_fault: string;
  bytes_in: number;
  bytes_out: number;
  /** Outgoing messages dropped. */
  dropped: number;
  addresses: string[] | null;
  /** Reason why nothing is released; empty while releases are made. */
  blocked_reason: string;
  /** Reason why this peer goes on without one that its protocol needs, such as a
   * coordinator; empty while that answers. */
  alone_reason: string;
  /** Whether rewards are learned from: the network has not started; they are; the
   * charged budget ends soon, or has for some actions; they are no more. One of
   * waiting, learning, ending, ended. */
  learning: "waiting" | "learning" | "ending" | "ended";
  /** What there is to know about learning; empty if nothing is. */
  notice: string;
  /** Leaves that the charged budget still pays for, of the stream with fewest. */
  remaining_leaves: number;
  /** Decisions that wait for their reward. */
  pending: number;
  ledger_records: number;
  /** Round to which a recovery would go back: the last one whose ledger half of the
   * neighbours remember. */
  confirmed_round: number;
  /** Number of this life of the peer: the second, counted from 2020, in which it
   * began. A restart keeps the number; a recovery after a restored backup makes a
   * new one. */
  incarnation: number;
  /** Times that a key was seen to be used twice: connections of another process with
   * this peer's own, and peers, this one included, of whose ledger two histories are
   * signed. */
  clones: number;
  /** Connections refused because their peer is not in the network file. */
  strangers: number;
  /** Connections refused before the peer was known: too many at once or in a second,
   * from one address or from all. */
  limited: number;
  /** The disk is full: decisions and rewards are refused until there is room. */
  disk_full: boolean;
  /** How alike other sites are to this one, the most alike first, as a learner that
   * weighs sites judges from what all have released; absent with others, and until
   * this site and another one have released the same action. */
  alike?: Alike[];
  /** The action that is best for this site's own users, if its own releases show one,
   * with an error of at most 5 % at all looks together, while means stay the same.
   * For phases without a window only. */
  best?: string;
  /** With a learner by features: how many numbers it learns. Absent with others. */
  by_features?: number;
  /** Seconds, at least, by which this peer's clock is ahead of the median of other
   * peers: 0 if the time of answers on the way explains the difference; absent until
   * one has answered, and without a signed document. */
  clock_ahead_seconds?: number;
  /** Peers that this one, which signs versions of the network's document, has to hear
   * before it signs: its folder may be an old copy. */
  document_awaits?: string[];
  /** In a sentence, that the network's document is split, cannot change while signers
   * are not heard, or waits for a signature of this peer. It is part of state. */
  document_notice?: string;
  /** Actions whose mean reward for this site's own users has changed since the
   * process started, by its own releases, with an error of at most 5 % at all times
   * together; protocol.phases.window then helps. For phases without a window only. */
  drifted?: string[];
  /** Named features of the context, and then of actions, as in features.context and
   * features.action; absent without names. */
  features?: string[];
  /** What this site's own users have gained by joining the network, computed now and
   * then from public data; absent in lockstep and of a peer without arms. With
   * privacy.answers: inside it follows from exact rewards, and is in /v1/inside. */
  gain?: Gain;
  /** The peer's own gift: rewards of all actions that it has released; as given of
   * /v1/peers. */
  given?: number;
  /** In a sentence, that this is less than the network asks (give.least). */
  given_notice?: string;
  /** About when learning ends; absent if no clock says so. RFC 3339. */
  learning_until?: string;
  /** With a learner by features: by how much the estimated reward of any action is
   * off at most, in its units, at all times together, except with probability 1 %.
   * No choice depends on it. Absent while nothing is known. */
  parameter_error?: number;
  /** In a sentence, that the application chooses (api.shadow), or what share the
   * baseline has and what that costs a decision by today's public estimates. */
  policy_notice?: string;
  /** With a learner by features: how many eigenvalues of the sum of products of
   * features noise has made negative. They count as 0 where actions are chosen. */
  raised_eigenvalues?: number;
  /** Other sites behind the estimates that have not been heard for an hour, the one
   * with the greatest share first. */
  stopped?: Stopped[];
  /** In a sentence, what part of the estimates rests on such sites, if it is a
   * twentieth or more. */
  stopped_notice?: string;
  /** In a sentence, without api.subject: required, how many decisions since the start
   * of the process that count named no user; absent for none, and with
   * privacy.counts: noised. */
  users_notice?: string;
}

/** A part of other documents. */
export interface Stopped {
  /** Its index in the network file, from 0. */
  peer: number;
  name: string;
  /** The share of the estimates that rests on it, as a mean over actions of which
   * something is known. */
  share: number;
  /** Its rewards that are released. */
  rewards: number;
  /** Newest sign of life; absent if there was none since this process began. RFC
   * 3339. */
  last_seen?: string;
}

/** The answer of GET /v1/table. */
export interface Table {
  /** Of these contents. Report it with what is drawn from them. */
  version: string;
  /** What the weights follow from; as of a decision. */
  model: string;
  /** Makes draws of different tables independent. */
  salt: string;
  /** The actions that this peer offers, in the order of the draw. */
  actions: Weight[];
  /** RFC 3339. */
  made_at: string;
}

/** A part of other documents. */
export interface Taken {
  /** An action on offer. */
  action: string;
  /** At least 1e-9: the probability with which your policy took it. */
  propensity: number;
}

/** A part of other documents. */
export interface Weight {
  name: string;
  /** The action's probability is in proportion to it. The sum of all is from 1 to
   * 1,048,576; if all actions that may be drawn have 0, each is equally likely. */
  weight: number;
}
