// Code generated from docs/openapi.json by go run ./scripts/models. DO NOT EDIT.

package client

import "time"

// Action is a part of other documents.
type Action struct {
	// Your id of the action, which the decision returns; without features the name of
	// one of the network's.
	ID string `json:"id"`
	// With a learner by features, and only then: an object with a value for each name
	// of features.action, or as many numbers as learner.linucb.features, with a sum of
	// squares of at most 1. Private.
	Features any `json:"features,omitzero"`
}

// Alike is a part of other documents.
type Alike struct {
	// Its index in the network file, from 0.
	Peer int64  `json:"peer"`
	Name string `json:"name"`
	// By how much the mean reward of an action differs between both sites, as a
	// standard deviation in the units of rewards, as far as is known.
	Apart float64 `json:"apart"`
}

// Arm is the answer of GET /v1/arms, in a list.
type Arm struct {
	Name string `json:"name"`
	// Number of times this peer chose it; 0 with an application whose counts are
	// noised (privacy.counts), or whose actions follow from features.
	Pulls int64 `json:"pulls"`
	// Estimated mean reward, from releases only; noise in few samples can put it
	// outside of api.reward_range, whose units it has. With a learner by features it
	// is 0 or, with features.context alone, the mean in the middle of these.
	Estimate float64 `json:"estimate"`
	// Number of rewards behind the estimate, as if one site had seen all of them; 0
	// while nothing is known.
	Samples float64 `json:"samples"`
	// Standard deviation of the privacy noise in the estimate, in its units.
	NoiseSD float64 `json:"noise_sd"`
	// Own rewards behind the estimate: those that are released. 0 if the protocol
	// keeps no sites apart.
	Own float64 `json:"own"`
	// Rewards of other sites behind the estimate; with a learner that weighs sites,
	// the number of own rewards that would say as much. 0 if the protocol keeps no
	// sites apart.
	Borrowed float64 `json:"borrowed"`
	// Other sites that have released rewards of the action; 0 if the protocol keeps no
	// sites apart.
	BorrowedSites int64 `json:"borrowed_sites"`
	// With such a feature: what the values of each named feature of the context add to
	// the estimate, computed from releases only.
	Effects []Effect `json:"effects,omitzero"`
	// With such a feature: the standard error of the estimate.
	Error float64 `json:"error,omitzero"`
	// The network has ended its choices.
	Retired bool `json:"retired,omitzero"`
}

// Ask is the body of POST /v1/decisions.
type Ask struct {
	// Actions on offer. By features, with their features and ids of your own, no more
	// than the network has; the next decision may offer others. Else names of the
	// network's, as objects or strings.
	Actions []Action `json:"actions,omitzero"`
	// What all actions of the decision share: an object with a value for each name of
	// features.context, or as many numbers as learner.linucb.context, with a sum of
	// squares of at most 1. Private, as features are.
	Context any `json:"context,omitzero"`
	// Actions that must not be chosen: of actions, where these are given, and else of
	// the network.
	Exclude []string `json:"exclude,omitzero"`
	// Features of the network's actions: a list of numbers for each, in the network's
	// order, including excluded actions. Contextual learners need these or actions,
	// other learners refuse both. Features are private: they are never sent to another
	// peer.
	Features [][]float64 `json:"features,omitzero"`
	// Your id of the decision: a repeated request with the same id gets the same
	// decision. Without it the peer makes one.
	ID string `json:"id,omitzero"`
	// The decision must not be given to the network: the person has not agreed, or
	// what is on offer follows from answers to others. Without effect with
	// privacy.answers: anyone, where all decisions are given.
	Keep bool `json:"keep,omitzero"`
	// The person whom the decision is about, such as a patient's number. It never
	// leaves this peer's folder. With api.subject: required, as a new folder has it, a
	// decision without it is refused (422). The peer learns from at most as many
	// rewards of one subject as the privacy settings allow.
	Subject string `json:"subject,omitzero"`
	// Version of the table (GET /v1/table) from which you drew the action of this id,
	// while the peer was down. The peer repeats the draw.
	Table string `json:"table,omitzero"`
	// What your own policy took: required with api.shadow propose or learn, refused
	// with off. Private.
	Taken *Taken `json:"taken,omitzero"`
}

// AskBatch is the body of POST /v1/decisions/batch.
type AskBatch struct {
	Decisions []Ask `json:"decisions"`
}

// Block is a part of other documents.
type Block struct {
	// The text is an item of a list.
	Item bool `json:"item,omitzero"`
	// Rows, of which the first has the names of columns.
	Table [][]string `json:"table,omitzero"`
	Text  string     `json:"text,omitzero"`
}

// Decision is the answer of POST /v1/decisions.
type Decision struct {
	ID     string `json:"id"`
	Action string `json:"action"`
	// Probability of the action, given the features and what all peers may know; of a
	// learner that samples, by 64 samples. With taken, what you sent; of a draw, what
	// its table says.
	Propensity float64 `json:"propensity"`
	// Why this action: the learner chose it, or did and knows no reward yet; it is
	// tried a few times first; it is the configured fallback or baseline; your own
	// policy took it; or you drew it. One of learned, exposure, fallback, initial,
	// baseline, application, table.
	Source string `json:"source"`
	// What the action was chosen from: the peer's incarnation, its round, and how many
	// releases it had made. Decisions of one model rest on the same releases.
	Model string `json:"model"`
	// The peer will learn from the reward.
	Counted bool `json:"counted"`
	// The decision was made before, for a request with the same id.
	Repeated bool `json:"repeated"`
	// The reward is accepted until then. RFC 3339.
	ExpiresAt time.Time `json:"expires_at"`
	// The decision is not given to the network: nothing of it leaves the site. Its
	// action follows from exact rewards of the site's users. Only at peers with
	// privacy.answers: inside.
	Kept bool `json:"kept,omitzero"`
	// What the peer would have chosen, in shadow mode.
	Proposed string `json:"proposed,omitzero"`
	// Why it will not: the subject has reached its limit; a phased learner explores
	// with other decisions; learning has ended; the peer proposes only; the action is
	// retired; or the decision is from before a recovery. One of subject, phase,
	// ended, shadow, retired, recovered.
	Uncounted string `json:"uncounted,omitzero"`
}

// DecisionBatch is the answer of POST /v1/decisions/batch.
type DecisionBatch struct {
	// One for each item, in the order of the request.
	Outcomes []DecisionOutcome `json:"outcomes"`
}

// DecisionOutcome is a part of other documents.
type DecisionOutcome struct {
	// The HTTP status that the item would have had as a request of its own.
	Status   int64     `json:"status"`
	Decision *Decision `json:"decision,omitzero"`
	Problem  *Problem  `json:"problem,omitzero"`
}

// Effect is a part of other documents.
type Effect struct {
	Feature string  `json:"feature"`
	Change  float64 `json:"change"`
	// Standard error of the change.
	Error float64 `json:"error"`
	// Absent for a number, whose value is the upper end of its range; the lower end
	// takes away as much.
	Category string `json:"category,omitzero"`
}

// Flaw is a part of other documents.
type Flaw struct {
	// The field.
	Location string `json:"location"`
	Message  string `json:"message"`
}

// Gain is a part of other documents.
type Gain struct {
	// In a sentence, what joining has gained, or why that is not known.
	Sentence string `json:"sentence"`
	// What the site would have lost alone on average, in simulations: nothing leaves
	// it, no noise, each reward is learned from when it comes.
	Alone *Range `json:"alone,omitzero"`
	// Decisions that the site had made when this was computed.
	Decisions int64 `json:"decisions,omitzero"`
	// What joining has gained: alone less together, draw by draw.
	Saved *Range `json:"saved,omitzero"`
	// Of them, those that alone is about; later ones count there as if they cost
	// nothing.
	Simulated int64 `json:"simulated,omitzero"`
	// What has been lost: pulls by how much each action's mean is below the best
	// one's.
	Together *Range `json:"together,omitzero"`
	// Decisions that wait for their rewards at once, in simulations: as many as at
	// most did here while the first rewards came.
	Waited int64 `json:"waited,omitzero"`
}

// Health is the answer of GET /healthz.
type Health struct {
	// One of ok.
	Status string `json:"status"`
	// In a sentence, what the peer does now.
	State string `json:"state,omitzero"`
}

// Inside is the answer of GET /v1/inside.
type Inside struct {
	// Decisions that were given to the network.
	Given int64 `json:"given"`
	// Decisions that were kept.
	Kept int64 `json:"kept"`
	// Of both, those that wait for their reward.
	Pending int64 `json:"pending"`
	// In the order of the network. Empty with a learner by features.
	Actions []InsideAction `json:"actions"`
	// What the site's own users have gained by the network, from exact rewards; absent
	// while it is not computed.
	Gain *Gain `json:"gain,omitzero"`
}

// InsideAction is a part of other documents.
type InsideAction struct {
	Name string `json:"name"`
	// Given and kept.
	Decisions int64 `json:"decisions"`
	// Rewards of own users, given and kept, since the mean last changed; with
	// privacy.inside, as many without noise as would say as much.
	Rewards float64 `json:"rewards"`
	// Mean of these rewards: exact, or with the noise of privacy.inside; 0 while there
	// is none.
	Mean float64 `json:"mean"`
	// Mean from which kept choices follow: own rewards and, as far as others are
	// alike, theirs; 0 while nothing is known.
	Estimate float64 `json:"estimate"`
	// The network has ended its choices.
	Retired bool `json:"retired,omitzero"`
}

// LedgerCheckpoint is a part of other documents.
type LedgerCheckpoint struct {
	// One of checkpoint.
	Kind string `json:"kind"`
	// The peer's id, with whose key it has signed.
	Peer string `json:"peer"`
	// Number of records in the ledger.
	Records int64 `json:"records"`
	// Hash of the last of them, in hexadecimal.
	Head string `json:"head"`
	// Ed25519 signature of what docs/network.md says, in hexadecimal.
	Signature string `json:"signature"`
}

// LedgerReceipt is a part of other documents.
type LedgerReceipt struct {
	// One of receipt.
	Kind string `json:"kind"`
	// The neighbour's id, with whose key it has signed.
	Witness string `json:"witness"`
	// Number of records that the ledger had.
	Records int64 `json:"records"`
	// Hash of the last of them, in hexadecimal.
	Head string `json:"head"`
	// When, in seconds, by the neighbour's clock. RFC 3339.
	Time time.Time `json:"time"`
	// Ed25519 signature of what docs/network.md says, in hexadecimal.
	Signature string `json:"signature"`
}

// LedgerReceipts is the answer of GET /v1/receipts.
type LedgerReceipts struct {
	// What neighbours have signed about this peer's ledger: of each the newest of
	// every day, in ascending order of witness and then of time.
	Receipts []LedgerReceipt `json:"receipts"`
	// What other peers have signed about their own ledgers, in ascending order of
	// peer.
	Checkpoints []LedgerCheckpoint `json:"checkpoints"`
}

// Network is the answer of GET /v1/network.
type Network struct {
	Name string `json:"name"`
	// Of the signed document; 0 for a file that is not signed.
	Version int64 `json:"version"`
	// Of round 0. RFC 3339.
	Start time.Time `json:"start"`
	// Length of a round in seconds.
	Every   float64  `json:"every"`
	Actions []string `json:"actions"`
	// All peers, by index.
	Places []Place `json:"places"`
	// Pairs of neighbours, by index.
	Links [][]int64 `json:"links"`
	// Rewards that the network asks each member to have released; absent if it asks
	// for nothing.
	GiveLeast int64 `json:"give_least,omitzero"`
	// Actions that are not chosen any more.
	Retired []string `json:"retired,omitzero"`
}

// PageLink is the answer of POST /v1/page-link.
type PageLink struct {
	// It works once, within a minute. Without api.listen it is a path, for which peerd
	// page answers.
	Url string `json:"url"`
}

// Peer is the answer of GET /v1/peers, in a list.
type Peer struct {
	// Its index in the network file, from 0.
	Peer      int64  `json:"peer"`
	Name      string `json:"name"`
	ID        string `json:"id"`
	Neighbour bool   `json:"neighbour"`
	// State of the link; "up" if it works.
	State     string `json:"state"`
	FramesIn  int64  `json:"frames_in"`
	FramesOut int64  `json:"frames_out"`
	BytesIn   int64  `json:"bytes_in"`
	BytesOut  int64  `json:"bytes_out"`
	Dropped   int64  `json:"dropped"`
	// Hellos, streams, messages and exchanges of this peer that broke the rules, or
	// were too many.
	Refused int64 `json:"refused"`
	// Records in its ledger when it last reported them; 0 for a peer that is not a
	// neighbour.
	LedgerRecords int64 `json:"ledger_records"`
	// Number of times that its ledger went back.
	Alarms int64 `json:"alarms"`
	// Why it is refused: its ledger went back to an earlier state; or that two
	// histories of its ledger are signed.
	Alarm string `json:"alarm,omitzero"`
	// It has dialled this peer, by a connection that lasts.
	Dialled bool `json:"dialled,omitzero"`
	// Its gift: rewards of all actions that it has released, as this peer has them and
	// the peer has signed them; absent while none are known, with noised counts, and
	// where the protocol keeps no sites apart.
	Given int64 `json:"given,omitzero"`
	// In a sentence, that this is less than the network asks (give.least), or not
	// known. The peer may be new.
	GivenNotice string `json:"given_notice,omitzero"`
	LastError   string `json:"last_error,omitzero"`
	// RFC 3339.
	LastSeen time.Time `json:"last_seen,omitzero"`
	RTT      string    `json:"rtt,omitzero"`
}

// Place is a part of other documents.
type Place struct {
	// Its index, from 0.
	Peer int64  `json:"peer"`
	Name string `json:"name"`
	ID   string `json:"id"`
	// Absent for a peer that is present.
	Standing string `json:"standing,omitzero"`
}

// Privacy is the answer of GET /v1/privacy.
type Privacy struct {
	// False in lockstep, which protects no one.
	Private bool `json:"private"`
	// The promise for everything that the peer sends over its whole life; 0 without
	// noise.
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// What is compared: which two histories of this site cannot be distinguished with
	// certainty.
	Compared string `json:"compared"`
	// What is public, without noise.
	Public []string `json:"public"`
	// What the promise does not cover.
	NotCovered []string `json:"not_covered"`
	Heading    string   `json:"heading"`
	// The page.
	Sections []Section `json:"sections"`
}

// Problem is a part of other documents.
type Problem struct {
	// The status in words.
	Title string `json:"title"`
	// The HTTP status; for an item of a batch, the status that it would have had as a
	// request of its own.
	Status int64 `json:"status"`
	// What is wrong and what to do about it.
	Detail string `json:"detail"`
	// Code for programs; docs/api.md lists all codes.
	Code string `json:"code"`
	// The fields that are wrong.
	Errors []Flaw `json:"errors,omitzero"`
}

// Range is a part of other documents.
type Range struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Ready is the answer of GET /readyz.
type Ready struct {
	// One of ok.
	Status string `json:"status"`
	// Reason why the peer goes on without one that its protocol needs.
	Alone string `json:"alone,omitzero"`
	// In a sentence, what the peer does now.
	State string `json:"state,omitzero"`
}

// Receipt is the answer of POST /v1/rewards.
type Receipt struct {
	ID string `json:"id"`
	// The same reward was reported before.
	Duplicate bool `json:"duplicate"`
	// The peer learns from it, as the decision said.
	Counted bool `json:"counted"`
}

// ReceiptBatch is the answer of POST /v1/rewards/batch.
type ReceiptBatch struct {
	// One for each item, in the order of the request.
	Outcomes []ReceiptOutcome `json:"outcomes"`
}

// ReceiptOutcome is a part of other documents.
type ReceiptOutcome struct {
	// The HTTP status that the item would have had as a request of its own.
	Status  int64    `json:"status"`
	Problem *Problem `json:"problem,omitzero"`
	Receipt *Receipt `json:"receipt,omitzero"`
}

// Reward is the body of POST /v1/rewards.
type Reward struct {
	// Id of the decision.
	ID string `json:"id"`
	// In the application's units, within api.reward_range, which is [0, 1] unless the
	// network has another one. It may be missing if end is true.
	Value float64 `json:"value"`
	// No further report will come: the decision's window ends, and later reports are
	// refused.
	End bool `json:"end,omitzero"`
	// Your id of this report within the decision, so that a repeated one counts once.
	// With api.reward: sum it is required, and otherwise refused.
	Report string `json:"report,omitzero"`
}

// RewardBatch is the body of POST /v1/rewards/batch.
type RewardBatch struct {
	Rewards []Reward `json:"rewards"`
}

// Section is a part of other documents.
type Section struct {
	Title  string  `json:"title"`
	Blocks []Block `json:"blocks"`
}

// Status is the answer of GET /v1/status.
type Status struct {
	// The peer's id, derived from its public key.
	ID string `json:"id"`
	// Its name in the network file.
	Name string `json:"name"`
	// Its index in the network file, from 0.
	Peer    int64  `json:"peer"`
	Network string `json:"network"`
	// In a sentence, what the peer does now.
	State string `json:"state"`
	// Links to all neighbours are up.
	LinksUp bool `json:"links_up"`
	// Rounds played.
	Round int64 `json:"round"`
	// Rounds to play.
	Rounds int64 `json:"rounds"`
	// Pulls of each arm; null with an application whose counts are noised
	// (privacy.counts), or whose actions follow from features.
	Pulls []int64 `json:"pulls"`
	// Regret of the simulated world over all rounds; 0 with an application.
	Regret float64 `json:"regret"`
	// Estimated mean reward of each arm, computed from releases only, in the
	// application's units (api.reward_range); 0 while nothing is known.
	Means        []float64 `json:"means"`
	EpsilonSpent float64   `json:"epsilon_spent"`
	EpsilonLeft  float64   `json:"epsilon_left"`
	// Releases drawn.
	Released int64 `json:"released"`
	// What was refused because another peer broke the protocol: messages that reached
	// the learning, and all that /v1/peers counts as refused.
	Refused int64 `json:"refused"`
	// Rounds that passed without this peer: it was busy, down or blocked.
	Skipped int64 `json:"skipped"`
	// Messages dropped because their sender sent too many in a round.
	Flooded int64 `json:"flooded"`
	// The last fault of another peer.
	LastFault string `json:"last_fault"`
	BytesIn   int64  `json:"bytes_in"`
	BytesOut  int64  `json:"bytes_out"`
	// Outgoing messages dropped.
	Dropped   int64    `json:"dropped"`
	Addresses []string `json:"addresses"`
	// Reason why nothing is released; empty while releases are made.
	BlockedReason string `json:"blocked_reason"`
	// Reason why this peer goes on without one that its protocol needs, such as a
	// coordinator; empty while that answers.
	AloneReason string `json:"alone_reason"`
	// Whether rewards are learned from: the network has not started; they are; the
	// charged budget ends soon, or has for some actions; they are no more. One of
	// waiting, learning, ending, ended.
	Learning string `json:"learning"`
	// What there is to know about learning; empty if nothing is.
	Notice string `json:"notice"`
	// Leaves that the charged budget still pays for, of the stream with fewest.
	RemainingLeaves int64 `json:"remaining_leaves"`
	// Decisions that wait for their reward.
	Pending       int64 `json:"pending"`
	LedgerRecords int64 `json:"ledger_records"`
	// Round to which a recovery would go back: the last one whose ledger half of the
	// neighbours remember.
	ConfirmedRound int64 `json:"confirmed_round"`
	// Number of this life of the peer: the second, counted from 2020, in which it
	// began. A restart keeps the number; a recovery after a restored backup makes a
	// new one.
	Incarnation int64 `json:"incarnation"`
	// Times that a key was seen to be used twice: connections of another process with
	// this peer's own, and peers, this one included, of whose ledger two histories are
	// signed.
	Clones int64 `json:"clones"`
	// Connections refused because their peer is not in the network file.
	Strangers int64 `json:"strangers"`
	// Connections refused before the peer was known: too many at once or in a second,
	// from one address or from all.
	Limited int64 `json:"limited"`
	// The disk is full: decisions and rewards are refused until there is room.
	DiskFull bool `json:"disk_full"`
	// How alike other sites are to this one, the most alike first, as a learner that
	// weighs sites judges from what all have released; absent with others, and until
	// this site and another one have released the same action.
	Alike []Alike `json:"alike,omitzero"`
	// The action that is best for this site's own users, if its own releases show one,
	// with an error of at most 5 % at all looks together, while means stay the same.
	// For phases without a window only.
	Best string `json:"best,omitzero"`
	// With a learner by features: how many numbers it learns. Absent with others.
	ByFeatures int64 `json:"by_features,omitzero"`
	// Seconds, at least, by which this peer's clock is ahead of the median of other
	// peers: 0 if the time of answers on the way explains the difference; absent until
	// one has answered, and without a signed document.
	ClockAheadSeconds float64 `json:"clock_ahead_seconds,omitzero"`
	// Peers that this one, which signs versions of the network's document, has to hear
	// before it signs: its folder may be an old copy.
	DocumentAwaits []string `json:"document_awaits,omitzero"`
	// In a sentence, that the network's document is split, cannot change while signers
	// are not heard, or waits for a signature of this peer. It is part of state.
	DocumentNotice string `json:"document_notice,omitzero"`
	// Actions whose mean reward for this site's own users has changed since the
	// process started, by its own releases, with an error of at most 5 % at all times
	// together; protocol.phases.window then helps. For phases without a window only.
	Drifted []string `json:"drifted,omitzero"`
	// Named features of the context, and then of actions, as in features.context and
	// features.action; absent without names.
	Features []string `json:"features,omitzero"`
	// What this site's own users have gained by joining the network, computed now and
	// then from public data; absent in lockstep and of a peer without arms. With
	// privacy.answers: inside it follows from exact rewards, and is in /v1/inside.
	Gain *Gain `json:"gain,omitzero"`
	// The peer's own gift: rewards of all actions that it has released; as given of
	// /v1/peers.
	Given int64 `json:"given,omitzero"`
	// In a sentence, that this is less than the network asks (give.least).
	GivenNotice string `json:"given_notice,omitzero"`
	// About when learning ends; absent if no clock says so. RFC 3339.
	LearningUntil time.Time `json:"learning_until,omitzero"`
	// With a learner by features: by how much the estimated reward of any action is
	// off at most, in its units, at all times together, except with probability 1 %.
	// No choice depends on it. Absent while nothing is known.
	ParameterError float64 `json:"parameter_error,omitzero"`
	// In a sentence, that the application chooses (api.shadow), or what share the
	// baseline has and what that costs a decision by today's public estimates.
	PolicyNotice string `json:"policy_notice,omitzero"`
	// With a learner by features: how many eigenvalues of the sum of products of
	// features noise has made negative. They count as 0 where actions are chosen.
	RaisedEigenvalues int64 `json:"raised_eigenvalues,omitzero"`
	// Other sites behind the estimates that have not been heard for an hour, the one
	// with the greatest share first.
	Stopped []Stopped `json:"stopped,omitzero"`
	// In a sentence, what part of the estimates rests on such sites, if it is a
	// twentieth or more.
	StoppedNotice string `json:"stopped_notice,omitzero"`
	// In a sentence, without api.subject: required, how many decisions since the start
	// of the process that count named no user; absent for none, and with
	// privacy.counts: noised.
	UsersNotice string `json:"users_notice,omitzero"`
}

// Stopped is a part of other documents.
type Stopped struct {
	// Its index in the network file, from 0.
	Peer int64  `json:"peer"`
	Name string `json:"name"`
	// The share of the estimates that rests on it, as a mean over actions of which
	// something is known.
	Share float64 `json:"share"`
	// Its rewards that are released.
	Rewards float64 `json:"rewards"`
	// Newest sign of life; absent if there was none since this process began. RFC
	// 3339.
	LastSeen time.Time `json:"last_seen,omitzero"`
}

// Table is the answer of GET /v1/table.
type Table struct {
	// Of these contents. Report it with what is drawn from them.
	Version string `json:"version"`
	// What the weights follow from; as of a decision.
	Model string `json:"model"`
	// Makes draws of different tables independent.
	Salt string `json:"salt"`
	// The actions that this peer offers, in the order of the draw.
	Actions []Weight `json:"actions"`
	// RFC 3339.
	MadeAt time.Time `json:"made_at"`
}

// Taken is a part of other documents.
type Taken struct {
	// An action on offer.
	Action string `json:"action"`
	// At least 1e-9: the probability with which your policy took it.
	Propensity float64 `json:"propensity"`
}

// Weight is a part of other documents.
type Weight struct {
	Name string `json:"name"`
	// The action's probability is in proportion to it. The sum of all is from 1 to
	// 1,048,576; if all actions that may be drawn have 0, each is equally likely.
	Weight int64 `json:"weight"`
}
