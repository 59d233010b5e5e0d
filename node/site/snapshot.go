package site

import (
	"fmt"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

const snapshotEvery = 4096 // steps

// progress is what a site remembers in addition to the states of its agent and world.
type progress struct {
	Round     uint64   // the next round
	Begun     bool     // a round has ended
	Decisions uint64   // choices made
	Pending   uint64   // decisions that wait for their round
	Pulls     []uint64 // choices that count, by arm
	Released  uint64   // nodes drawn
	Left      float64  // ε
	Regret    float64  // of the simulated world, over all rounds
}

// lastBelief is a copy of the belief at the end of the newest round. Asking the agent between
// rounds would be a step of its own.
type lastBelief struct {
	Means, Samples, Noise []float64
	parameter             bandit.Parameter // not saved: it follows from the agent's state
	support               bandit.Support   // the same
	best                  bandit.Arm       // the same
	drifted               []bandit.Arm     // since the start of this process
	bounds                []bandit.Bound   // of means for own users; the same as best
}

// snapshot is the state of a site after a step.
type snapshot struct {
	state   progress
	belief  lastBelief // empty after [Site.Recover]
	step    uint64
	records uint64 // of the ledger
	agent   []byte // private
	played  bool   // a simulated world is or was played
	world   []byte // its state; private
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (snapshot) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

func (x *snapshot) fields(v *state.Visitor) {
	v.Uint(&x.state.Round)
	v.Bool(&x.state.Begun)
	v.Uint(&x.state.Decisions)
	v.Uint(&x.state.Pending)
	v.Uints(x.state.Pulls)
	v.Uint(&x.state.Released)
	v.Float(&x.state.Left)
	v.Float(&x.state.Regret)
	state.List(v, &x.belief.Means, v.Float)
	state.List(v, &x.belief.Samples, v.Float)
	state.List(v, &x.belief.Noise, v.Float)
	v.Uint(&x.step)
	v.Uint(&x.records)
	v.Bytes(&x.agent)
	v.Bool(&x.played)
	v.Bytes(&x.world)
	if v.Version() == 3 {
		v.Uint(new(uint64))
	}
}

func (x *snapshot) bytes() []byte { return state.Save(snapshotVersion, x.fields) }

// parseSnapshot reads the snapshot of a site with a number of arms.
func parseSnapshot(b []byte, arms int) (x snapshot, err error) {
	x.state.Pulls = make([]uint64, arms)
	err = form.Decode("snapshot", b, 2, snapshotVersion, x.fields)
	x.world = slices.Clone(x.world)
	return x, err
}

// confirmed is what neighbours are known to remember of this ledger. The confirmed snapshot is a
// state of the site whose ledger half of them remember, so that no older folder can start
// unnoticed. A recovery goes back to it: nodes drawn since then may have been drawn again by an
// older folder in a life that is lost; see docs/proofs/skip.md.
type confirmed struct {
	candidate *snapshot // not confirmed yet; nil for none
	kept      uint64    // records of the confirmed snapshot
	round     uint64    // of the confirmed snapshot
}

// durableStatus is a site's status after a step that is durable. A crash could undo a later step,
// and its noise would be drawn a second time.
type durableStatus struct {
	step   uint64
	belief lastBelief
	state  progress
	ledger protocol.Checkpoint
	alone  string // why, if it is alone
}

// sending is a step that is written but may not be durable yet.
type sending struct {
	pending    store.Pending
	step       uint64
	checkpoint protocol.Checkpoint
	messages   []protocol.Envelope // in the form in which the outbox has them
	at         time.Time           // when they are sent
	status     *durableStatus      // nil if the step changes nothing
}

// sendQueue is how many steps may wait to become durable.
const sendQueue = 256
