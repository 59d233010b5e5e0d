package api

import (
	"context"
	"iter"
	"time"

	"peerd.dev/node/decision"
)

// A Backend is the peer behind the API. Its methods are called by many
// goroutines at once. No text that it returns may hold a reward.
type Backend interface {
	// Decide answers every ask, in order. A decision is durable when it is
	// returned. The asks are well formed; whether their names are actions of
	// this network is for the backend to say. It may keep the slice, and the features.
	Decide(ctx context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision]

	// Reward answers every report, in order. A reward is durable when its
	// receipt is returned. Ids are well formed and values in [0,1].
	Reward(ctx context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt]

	// Features says what features an ask must bring. Asks with others are refused
	// before they come to Decide.
	Features() decision.Shape

	// Status says how the peer is doing. It is also read for every scrape of
	// the metrics.
	Status(ctx context.Context) (Status, error)

	// Arms says what is known of every action.
	Arms(ctx context.Context) ([]Arm, error)

	// Peers says how things stand with the others.
	Peers(ctx context.Context) ([]Peer, error)

	// Ledger yields the records from number from on, at most limit of them,
	// each as the bytes of its line without the newline. An error ends it.
	Ledger(ctx context.Context, from, limit uint64) iter.Seq2[[]byte, error]

	// Ready is nil if decisions are answered and releases made, or says why not.
	Ready(ctx context.Context) error
}

// Status is a peer's state for its operator. It holds nothing private.
type Status struct {
	ID            string    `json:"id" doc:"The peer's id, made of its public key."`
	Name          string    `json:"name" doc:"Its name in the network file."`
	Peer          uint32    `json:"peer" doc:"Its place in the network file."`
	Network       string    `json:"network"`
	LinksUp       bool      `json:"links_up" doc:"Links to all neighbours are up."`
	Round         uint64    `json:"round" doc:"Rounds played."`
	Rounds        uint64    `json:"rounds" doc:"Rounds to play."`
	Pulls         []uint64  `json:"pulls" nullable:"true" doc:"By arm."`
	Means         []float64 `json:"means" nullable:"true" doc:"Estimates, by arm. They are made of releases only."`
	Spent         float64   `json:"epsilon_spent"`
	Left          float64   `json:"epsilon_left"`
	Released      uint64    `json:"released" doc:"Releases drawn."`
	Refused       uint64    `json:"refused" doc:"Messages that were a peer's fault."`
	Skipped       uint64    `json:"skipped" doc:"Slots that passed without this peer: it was busy, down or held back."`
	Flooded       uint64    `json:"flooded" doc:"Messages dropped because their sender sent too many in a slot."`
	LastErr       string    `json:"last_fault" doc:"The last fault of another peer."`
	BytesIn       uint64    `json:"bytes_in"`
	BytesOut      uint64    `json:"bytes_out"`
	Dropped       uint64    `json:"dropped" doc:"Messages dropped on the way out."`
	Addresses     []string  `json:"addresses" nullable:"true"`
	Hold          string    `json:"hold" doc:"Why nothing is released; empty if it is."`
	Pending       uint64    `json:"pending" doc:"Decisions whose reward is still waited for."`
	LedgerRecords uint64    `json:"ledger_records"`
	Incarnation   uint64    `json:"incarnation" doc:"Which life of this peer it is: the second, from 2020, in which it began. A restart goes on with it."`
	Clones        uint64    `json:"clones" doc:"Connections of another process with this peer's key."`
	DiskFull      bool      `json:"disk_full" doc:"Nothing is taken until there is room."`
}

// Arm is what is known of an action. It is made of what all peers may know.
type Arm struct {
	Name     string  `json:"name"`
	Pulls    uint64  `json:"pulls" doc:"How often it was chosen here."`
	Estimate float64 `json:"estimate" doc:"Its mean reward, made of releases only; noise can carry it far out of 0 to 1 while samples are few."`
	Samples  float64 `json:"samples" doc:"How many rewards the estimate rests on, as if all of one site; 0 while nothing is known."`
	NoiseSD  float64 `json:"noise_sd" doc:"Standard deviation of the privacy noise in the estimate."`
}

// Peer is how things stand with one other peer.
type Peer struct {
	Peer      uint32    `json:"peer" doc:"Its place in the network file."`
	Name      string    `json:"name"`
	ID        string    `json:"id"`
	Neighbour bool      `json:"neighbour"`
	State     string    `json:"state" doc:"Of the link; \"up\" if it works."`
	RTT       string    `json:"rtt,omitempty" example:"1.2ms"`
	FramesIn  uint64    `json:"frames_in"`
	FramesOut uint64    `json:"frames_out"`
	BytesIn   uint64    `json:"bytes_in"`
	BytesOut  uint64    `json:"bytes_out"`
	Dropped   uint64    `json:"dropped"`
	Refused   uint64    `json:"refused"`
	LastSeen  time.Time `json:"last_seen,omitzero"`
	LastError string    `json:"last_error,omitempty"`
	Records   uint64    `json:"ledger_records" doc:"How long its ledger was when it was last heard of; 0 for one that is no neighbour."`
	Alarm     string    `json:"alarm,omitempty" doc:"Why it is refused: its ledger went back."`
	Alarms    uint64    `json:"alarms" doc:"How often that happened."`
}
