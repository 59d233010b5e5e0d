package site

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
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

// keepBelief copies the agent's belief.
func (s *Site) keepBelief() {
	known := s.agent.Summary()
	s.insight.See(s.agent.Belief())
	s.belief = lastBelief{known.Estimates, known.Samples, known.NoiseDevs, known.Parameter, s.agent.Support(), s.insight.Best(), s.insight.Drifted(), s.insight.Bounds()}
}

// snapshot returns the state after the newest step.
func (s *Site) snapshot() (x snapshot, err error) {
	agent, err := s.agent.Save()
	if err != nil {
		return x, err
	}
	x = snapshot{state: s.state, belief: s.belief, step: s.step, records: s.chain.Next, agent: agent.Bytes()}
	x.state.Pulls = slices.Clone(s.state.Pulls)
	x.played, x.world = s.saveWorld()
	return x, nil
}

// saveSnapshot saves the state after the newest step and removes the log before it.
func (s *Site) saveSnapshot(b *store.Batch) error {
	x, err := s.snapshot()
	if err != nil {
		return err
	}
	b.Set(store.Snapshot, nil, x.bytes())
	b.DeleteBelow(store.Log, store.Number(s.step+1))
	s.saved = s.step
	return nil
}

// saveNow saves a snapshot in a batch of its own.
func (s *Site) saveNow() error {
	b := s.store.Batch()
	if err := s.saveSnapshot(b); err != nil {
		return err
	}
	s.queue(sending{pending: b.Apply()})
	return nil
}
