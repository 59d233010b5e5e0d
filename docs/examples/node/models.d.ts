// Generated from docs/openapi.json by: go run ./scripts/models; do not edit.

/** The answer of GET /v1/arms, in a list. */
export interface Arm {
  name: string;
  /** How often it was chosen here. */
  pulls: number;
  /** Its mean reward, made of releases only; noise can carry it far out of 0 to 1
   * while samples are few. */
  estimate: number;
  /** How many rewards the estimate rests on, as if all of one site; 0 while nothing
   * is known. */
  samples: number;
  /** Standard deviation of the privacy noise in the estimate. */
  noise_sd: number;
}

/** The body of POST /v1/decisions. */
export interface Ask {
  /** Actions that may not be chosen. */
  exclude?: string[];
  /** What is known of the situation: a list of numbers for each action, in the
   * network's order, excluded actions among them. Needed by contextual learners, and
   * refused by others. Features are private: they are never sent to another peer. */
  features?: number[][];
  /** Yours, so that a repeated request gets the same decision; without it the peer
   * makes one. */
  id?: string;
  /** Whose decision it is, such as a patient's number. It stays in this peer's
   * folder. Of one subject no more rewards are learnt from than the privacy settings
   * allow. */
  subject?: string;
}

/** The body of POST /v1/decisions/batch. */
export interface AskBatch {
  decisions: Ask[];
}

/** The answer of POST /v1/decisions. */
export interface Decision {
  id: string;
  action: string;
  /** Probability of the action, given the features and what all peers may know. */
  propensity: number;
  /** What the choice rests on: what was learnt; that every action is to be chosen a
   * few times first; or the configured action, while the peer is not ready. One of
   * learned, exposure, fallback. */
  source: "learned" | "exposure" | "fallback";
  /** The reward will be learnt from; false for a subject over its cap. */
  counted: boolean;
  /** It was asked for before, with this id. */
  repeated: boolean;
  /** Until then the reward is taken. RFC 3339. */
  expires_at: string;
}

/** The answer of POST /v1/decisions/batch. */
export interface DecisionBatch {
  /** One an item, in the order of the request. */
  outcomes: DecisionOutcome[];
}

/** A part of other documents. */
export interface DecisionOutcome {
  /** What the request would have been answered alone. */
  status: number;
  decision?: Decision;
  problem?: Problem;
}

/** A part of other documents. */
export interface Flaw {
  /** The field. */
  location: string;
  message: string;
}

/** The answer of GET /healthz; the answer of GET /readyz. */
export interface Health {
  /** One of ok. */
  status: "ok";
}

/** The answer of GET /v1/peers, in a list. */
export interface Peer {
  /** Its place in the network file. */
  peer: number;
  name: string;
  id: string;
  neighbour: boolean;
  /** Of the link; "up" if it works. */
  state: string;
  frames_in: number;
  frames_out: number;
  bytes_in: number;
  bytes_out: number;
  dropped: number;
  refused: number;
  /** How long its ledger was when it was last heard of; 0 for one that is no
   * neighbour. */
  ledger_records: number;
  /** How often that happened. */
  alarms: number;
  /** Why it is refused: its ledger went back. */
  alarm?: string;
  last_error?: string;
  /** RFC 3339. */
  last_seen?: string;
  rtt?: string;
}

/** A part of other documents. */
export interface Problem {
  /** The status in words. */
  title: string;
  /** The HTTP status; of an item of a batch, the one it would have had alone. */
  status: number;
  /** What is wrong and what to do about it. */
  detail: string;
  /** For programs; docs/api.md lists them. */
  code: string;
  /** The fields that are wrong. */
  errors?: Flaw[];
}

/** The answer of POST /v1/rewards. */
export interface Receipt {
  id: string;
  /** The same reward was reported before. */
  duplicate: boolean;
  /** It is learnt from, as the decision said. */
  counted: boolean;
}

/** The answer of POST /v1/rewards/batch. */
export interface ReceiptBatch {
  /** One an item, in the order of the request. */
  outcomes: ReceiptOutcome[];
}

/** A part of other documents. */
export interface ReceiptOutcome {
  /** What the request would have been answered alone. */
  status: number;
  problem?: Problem;
  receipt?: Receipt;
}

/** The body of POST /v1/rewards. */
export interface Reward {
  /** Of the decision. */
  id: string;
  value: number;
}

/** The body of POST /v1/rewards/batch. */
export interface RewardBatch {
  rewards: Reward[];
}

/** The answer of GET /v1/status. */
export interface Status {
  /** The peer's id, made of its public key. */
  id: string;
  /** Its name in the network file. */
  name: string;
  /** Its place in the network file. */
  peer: number;
  network: string;
  /** Links to all neighbours are up. */
  links_up: boolean;
  /** Rounds played. */
  round: number;
  /** Rounds to play. */
  rounds: number;
  /** By arm. */
  pulls: number[] | null;
  /** Estimates, by arm. They are made of releases only. */
  means: number[] | null;
  epsilon_spent: number;
  epsilon_left: number;
  /** Releases drawn. */
  released: number;
  /** Messages that were a peer's fault. */
  refused: number;
  /** Slots that passed without this peer: it was busy, down or held back. */
  skipped: number;
  /** Messages dropped because their sender sent too many in a slot. */
  flooded: number;
  /** The last fault of another peer. */
  last_fault: string;
  bytes_in: number;
  bytes_out: number;
  /** Messages dropped on the way out. */
  dropped: number;
  addresses: string[] | null;
  /** Why nothing is released; empty if it is. */
  hold: string;
  /** Decisions whose reward is still waited for. */
  pending: number;
  ledger_records: number;
  /** Which life of this peer it is: the second, from 2020, in which it began. A
   * restart goes on with it. */
  incarnation: number;
  /** Connections of another process with this peer's key. */
  clones: number;
  /** Nothing is taken until there is room. */
  disk_full: boolean;
}
