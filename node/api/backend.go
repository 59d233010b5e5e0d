package api

import (
	"context"
	"io"
	"iter"
	"time"

	"peerd.dev/node/decision"
)

// The states of a peer and of its links that metrics know.
const (
	stateUp       = "up" // of a link
	stateLearning = "learning"
	stateEnding   = "ending"
)

// A Backend is the peer behind the API. Its methods are called concurrently. No text that it
// returns may contain a reward.
type Backend interface {
	// Decide answers every ask, in order. A decision is durable when it is returned. The asks are
	// well formed; the backend checks whether their names are actions of this network. It may
	// keep the slice and the features.
	Decide(ctx context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision]

	// Reward answers every report, in order. A reward is durable when its receipt is returned.
	// Ids are well formed and values are in the range.
	Reward(ctx context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt]

	// Actions returns the names of the network's actions, by place; empty for a place without an
	// action.
	Actions() []string

	// Features returns the shape that the features of an ask must have. Asks with
	// features of another shape are refused and do not reach Decide.
	Features() decision.Shape

	// Range returns the least and the greatest reward. Reports of others are refused and do not reach Reward.
	Range() (least, most float64)

	// Status returns the state of the peer. Every scrape of the metrics calls it.
	Status(ctx context.Context) (Status, error)

	// Arms returns what is known about every action.
	Arms(ctx context.Context) ([]Arm, error)

	// Peers returns the state of the links to the other peers.
	Peers(ctx context.Context) ([]Peer, error)

	// Inside returns what only the people of the site may see; a refusal if the peer gives all decisions to its network.
	Inside(ctx context.Context) (Inside, error)

	// Privacy returns what the peer promises, by its configuration.
	Privacy(ctx context.Context) (Privacy, error)

	// Network returns the network as its document describes it.
	Network(ctx context.Context) (Network, error)

	// Ledger yields at most limit records, from the record with number from on,
	// each as its line without the newline. It ends at the first error.
	Ledger(ctx context.Context, from, limit uint64) iter.Seq2[[]byte, error]

	// Backup writes the peer's folder, with its key and raw rewards, as a compressed archive. It writes nothing if it refuses.
	Backup(ctx context.Context, to io.Writer) error

	// Ready returns nil while the peer decides and releases, and otherwise the reason why it does
	// not.
	Ready(ctx context.Context) error
}

// Status is a peer's state for its operator. It contains nothing private.
type Status struct {
	ID             string    `json:"id" doc:"The peer's id, derived from its public key."`
	Name           string    `json:"name" doc:"Its name in the network file."`
	Peer           uint32    `json:"peer" doc:"Its index in the network file, from 0."`
	Network        string    `json:"network"`
	State          string    `json:"state" doc:"In a sentence, what the peer does now."`
	LinksUp        bool      `json:"links_up" doc:"Links to all neighbours are up."`
	Round          uint64    `json:"round" doc:"Rounds played."`
	Rounds         uint64    `json:"rounds" doc:"Rounds to play."`
	Pulls          []uint64  `json:"pulls" nullable:"true" doc:"Pulls of each arm; null with an application whose counts are noised (privacy.counts), or whose actions follow from features."`
	Regret         float64   `json:"regret" doc:"Regret of the simulated world over all rounds; 0 with an application."`
	Means          []float64 `json:"means" nullable:"true" doc:"Estimated mean reward of each arm, computed from releases only, in the application's units (api.reward_range); 0 while nothing is known."`
	Error          float64   `json:"parameter_error,omitzero" doc:"With a learner by features: by how much the estimated reward of any action is off at most, in its units, at all times together, except with probability 1 %. No choice depends on it. Absent while nothing is known."`
	Raised         int       `json:"raised_eigenvalues,omitzero" doc:"With a learner by features: how many eigenvalues of the sum of products of features noise has made negative. They count as 0 where actions are chosen."`
	ByFeatures     int       `json:"by_features,omitzero" doc:"With a learner by features: how many numbers it learns. Absent with others."`
	Features       []string  `json:"features,omitempty" doc:"Named features of the context, and then of actions, as in features.context and features.action; absent without names."`
	Alike          []Alike   `json:"alike,omitempty" doc:"How alike other sites are to this one, the most alike first, as a learner that weighs sites judges from what all have released; absent with others, and until this site and another one have released the same action."`
	Best           string    `json:"best,omitempty" doc:"The action that is best for this site's own users, if its own releases show one, with an error of at most 5 % at all looks together, while means stay the same. For phases without a window only."`
	Drifted        []string  `json:"drifted,omitempty" doc:"Actions whose mean reward for this site's own users has changed since the process started, by its own releases, with an error of at most 5 % at all times together; protocol.phases.window then helps. For phases without a window only."`
	Gain           *Gain     `json:"gain,omitempty" doc:"What this site's own users have gained by joining the network, computed now and then from public data; absent in lockstep and of a peer without arms. With privacy.answers: inside it follows from exact rewards, and is in /v1/inside."`
	Stopped        []Stopped `json:"stopped,omitempty" doc:"Other sites behind the estimates that have not been heard for an hour, the one with the greatest share first."`
	StoppedNotice  string    `json:"stopped_notice,omitempty" doc:"In a sentence, what part of the estimates rests on such sites, if it is a twentieth or more."`
	Policy         string    `json:"policy_notice,omitempty" doc:"In a sentence, that the application chooses (api.shadow), or what share the baseline has and what that costs a decision by today's public estimates."`
	Users          string    `json:"users_notice,omitempty" doc:"In a sentence, without api.subject: required, how many decisions since the start of the process that count named no user; absent for none, and with privacy.counts: noised."`
	Given          uint64    `json:"given,omitzero" doc:"The peer's own gift: rewards of all actions that it has released; as given of /v1/peers."`
	Gives          string    `json:"given_notice,omitempty" doc:"In a sentence, that this is less than the network asks (give.least)."`
	DocumentNotice string    `json:"document_notice,omitempty" doc:"In a sentence, that the network's document is split, cannot change while signers are not heard, or waits for a signature of this peer. It is part of state."`
	DocumentAwaits []string  `json:"document_awaits,omitempty" doc:"Peers that this one, which signs versions of the network's document, has to hear before it signs: its folder may be an old copy."`
	Spent          float64   `json:"epsilon_spent"`
	Left           float64   `json:"epsilon_left"`
	Released       uint64    `json:"released" doc:"Releases drawn."`
	Refused        uint64    `json:"refused" doc:"What was refused because another peer broke the protocol: messages that reached the learning, and all that /v1/peers counts as refused."`
	Skipped        uint64    `json:"skipped" doc:"Rounds that passed without this peer: it was busy, down or blocked."`
	Flooded        uint64    `json:"flooded" doc:"Messages dropped because their sender sent too many in a round."`
	LastErr        string    `json:"last_fault" doc:"The last fault of another peer."`
	BytesIn        uint64    `json:"bytes_in"`
	BytesOut       uint64    `json:"bytes_out"`
	Dropped        uint64    `json:"dropped" doc:"Outgoing messages dropped."`
	Addresses      []string  `json:"addresses" nullable:"true"`
	BlockedReason  string    `json:"blocked_reason" doc:"Reason why nothing is released; empty while releases are made."`
	AloneReason    string    `json:"alone_reason" doc:"Reason why this peer goes on without one that its protocol needs, such as a coordinator; empty while that answers."`
	Learning       string    `json:"learning" enum:"waiting,learning,ending,ended" doc:"Whether rewards are learned from: the network has not started; they are; the charged budget ends soon, or has for some actions; they are no more."`
	Notice         string    `json:"notice" doc:"What there is to know about learning; empty if nothing is."`
	Remaining      uint64    `json:"remaining_leaves" doc:"Leaves that the charged budget still pays for, of the stream with fewest."`
	Until          time.Time `json:"learning_until,omitzero" doc:"About when learning ends; absent if no clock says so."`
	Pending        uint64    `json:"pending" doc:"Decisions that wait for their reward."`
	LedgerRecords  uint64    `json:"ledger_records"`
	Confirmed      uint64    `json:"confirmed_round" doc:"Round to which a recovery would go back: the last one whose ledger half of the neighbours remember."`
	Incarnation    uint64    `json:"incarnation" doc:"Number of this life of the peer: the second, counted from 2020, in which it began. A restart keeps the number; a recovery after a restored backup makes a new one."`
	Clones         uint64    `json:"clones" doc:"Times that a key was seen to be used twice: connections of another process with this peer's own, and peers, this one included, of whose ledger two histories are signed."`
	Strangers      uint64    `json:"strangers" doc:"Connections refused because their peer is not in the network file."`
	Limited        uint64    `json:"limited" doc:"Connections refused before the peer was known: too many at once or in a second, from one address or from all."`
	ClockAhead     *float64  `json:"clock_ahead_seconds,omitempty" doc:"Seconds, at least, by which this peer's clock is ahead of the median of other peers: 0 if the time of answers on the way explains the difference; absent until one has answered, and without a signed document."`
	DiskFull       bool      `json:"disk_full" doc:"The disk is full: decisions and rewards are refused until there is room."`
}

// Alike is how alike another site is to this one, computed from public data.
type Alike struct {
	Peer  uint32  `json:"peer" doc:"Its index in the network file, from 0."`
	Name  string  `json:"name"`
	Apart float64 `json:"apart" doc:"By how much the mean reward of an action differs between both sites, as a standard deviation in the units of rewards, as far as is known."`
}

// Stopped is another site on which estimates rest and that is not heard, computed from public data.
type Stopped struct {
	Peer     uint32    `json:"peer" doc:"Its index in the network file, from 0."`
	Name     string    `json:"name"`
	Share    float64   `json:"share" minimum:"0" maximum:"1" doc:"The share of the estimates that rests on it, as a mean over actions of which something is known."`
	Rewards  float64   `json:"rewards" doc:"Its rewards that are released."`
	LastSeen time.Time `json:"last_seen,omitzero" doc:"Newest sign of life; absent if there was none since this process began."`
}

// Gain is what a site's own users have lost with the network, and would have lost without it, computed from public data, or inside from
// exact rewards. All ranges are of regret, in the application's units of rewards, and absent while they are not known.
type Gain struct {
	Sentence  string `json:"sentence" doc:"In a sentence, what joining has gained, or why that is not known."`
	Decisions uint64 `json:"decisions,omitzero" doc:"Decisions that the site had made when this was computed."`
	Simulated uint64 `json:"simulated,omitzero" doc:"Of them, those that alone is about; later ones count there as if they cost nothing."`
	Waited    uint64 `json:"waited,omitzero" doc:"Decisions that wait for their rewards at once, in simulations: as many as at most did here while the first rewards came."`
	Together  *Range `json:"together,omitempty" doc:"What has been lost: pulls by how much each action's mean is below the best one's."`
	Alone     *Range `json:"alone,omitempty" doc:"What the site would have lost alone on average, in simulations: nothing leaves it, no noise, each reward is learned from when it comes."`
	Saved     *Range `json:"saved,omitempty" doc:"What joining has gained: alone less together, draw by draw."`
}

// Range is an estimate: the median, and the bounds of what 95 % of all draws are in.
type Range struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Arm is what is known about an action, computed from public data.
type Arm struct {
	Name     string   `json:"name"`
	Pulls    uint64   `json:"pulls" doc:"Number of times this peer chose it; 0 with an application whose counts are noised (privacy.counts), or whose actions follow from features."`
	Estimate float64  `json:"estimate" doc:"Estimated mean reward, from releases only; noise in few samples can put it outside of api.reward_range, whose units it has. With a learner by features it is 0 or, with features.context alone, the mean in the middle of these."`
	Error    float64  `json:"error,omitzero" doc:"With such a feature: the standard error of the estimate."`
	Effects  []Effect `json:"effects,omitempty" doc:"With such a feature: what the values of each named feature of the context add to the estimate, computed from releases only."`
	Samples  float64  `json:"samples" doc:"Number of rewards behind the estimate, as if one site had seen all of them; 0 while nothing is known."`
	NoiseSD  float64  `json:"noise_sd" doc:"Standard deviation of the privacy noise in the estimate, in its units."`
	Own      float64  `json:"own" doc:"Own rewards behind the estimate: those that are released. 0 if the protocol keeps no sites apart."`
	Borrowed float64  `json:"borrowed" doc:"Rewards of other sites behind the estimate; with a learner that weighs sites, the number of own rewards that would say as much. 0 if the protocol keeps no sites apart."`
	Sites    uint32   `json:"borrowed_sites" doc:"Other sites that have released rewards of the action; 0 if the protocol keeps no sites apart."`
	Retired  bool     `json:"retired,omitempty" doc:"The network has ended its choices."`
}

// Effect is what a value of a feature adds to the mean reward of an action, compared with the middle of its range, or with
// the mean over its categories.
type Effect struct {
	Feature  string  `json:"feature"`
	Category string  `json:"category,omitempty" doc:"Absent for a number, whose value is the upper end of its range; the lower end takes away as much."`
	Change   float64 `json:"change"`
	Error    float64 `json:"error" doc:"Standard error of the change."`
}

// Left is the LastError of a peer that has left.
const Left = "left the network, was removed, or never used its invitation"

// Peer is the state of the link to another peer.
type Peer struct {
	Peer      uint32    `json:"peer" doc:"Its index in the network file, from 0."`
	Name      string    `json:"name"`
	ID        string    `json:"id"`
	Neighbour bool      `json:"neighbour"`
	State     string    `json:"state" doc:"State of the link; \"up\" if it works."`
	RTT       string    `json:"rtt,omitempty" example:"1.2ms"`
	FramesIn  uint64    `json:"frames_in"`
	FramesOut uint64    `json:"frames_out"`
	BytesIn   uint64    `json:"bytes_in"`
	BytesOut  uint64    `json:"bytes_out"`
	Dropped   uint64    `json:"dropped"`
	Refused   uint64    `json:"refused" doc:"Hellos, streams, messages and exchanges of this peer that broke the rules, or were too many."`
	LastSeen  time.Time `json:"last_seen,omitzero"`
	LastError string    `json:"last_error,omitempty"`
	Records   uint64    `json:"ledger_records" doc:"Records in its ledger when it last reported them; 0 for a peer that is not a neighbour."`
	Alarm     string    `json:"alarm,omitempty" doc:"Why it is refused: its ledger went back to an earlier state; or that two histories of its ledger are signed."`
	Alarms    uint64    `json:"alarms" doc:"Number of times that its ledger went back."`
	Dialled   bool      `json:"dialled,omitzero" doc:"It has dialled this peer, by a connection that lasts."`
	Given     uint64    `json:"given,omitzero" doc:"Its gift: rewards of all actions that it has released, as this peer has them and the peer has signed them; absent while none are known, with noised counts, and where the protocol keeps no sites apart."`
	Gives     string    `json:"given_notice,omitempty" doc:"In a sentence, that this is less than the network asks (give.least), or not known. The peer may be new."`
}
