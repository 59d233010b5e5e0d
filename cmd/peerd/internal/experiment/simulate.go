package experiment

import (
	"context"

	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/cmd/peerd/internal/sites"
	"peerd.dev/dp"
	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/node/experiment"
	"peerd.dev/node/sim"
	"peerd.dev/protocol"
)

// Simulate returns the run of a number in which n sites with given links do
// what peers with these settings do. Its noise comes from the seed, so it is not
// private.
func Simulate(s *config.Settings, world *sites.Sites, links [][]protocol.Peer, run uint64) (sim.Config, error) {
	n := len(links)
	spec, err := s.Spec(n)
	if err != nil {
		return sim.Config{}, err
	}
	spec.Privacy.Mode = dp.Lockstep
	c := sim.Config{
		Spec: spec, Neighbours: links, Rounds: s.RoundCount(), Points: 100, Bytes: true,
		Network: node.PeerSeed(run, protocol.Everyone),
		Faults: sim.Faults{
			Loss: s.Experiment.Faults.Loss, Duplicate: s.Experiment.Faults.Duplicate, Reorder: s.Experiment.Faults.Reorder,
			Delay: s.Experiment.Faults.Delay, Churn: s.Experiment.Faults.Churn,
		},
		Liars: sim.Liars{Count: s.Experiment.Liars.Count, Claim: sim.Claim(s.Experiment.Liars.Claim)},
	}
	copy(c.Faults.Partition[:], s.Experiment.Faults.Partition)
	world = world.In(run)
	var (
		ids  []gossip.Identity
		text []string
	)
	for i := range n {
		number := node.PeerNumber(run, protocol.Peer(i))
		seed := node.NewSeed(number)
		c.Seeds = append(c.Seeds, seed)
		w, bad := world.World(i, seed.Rand("world"))
		if bad != nil {
			return c, bad
		}
		c.Worlds = append(c.Worlds, w)
		ids = append(ids, config.LockstepIdentity(number))
		text = append(text, ids[i].ID())
	}
	ring, err := gossip.NewKeyring(config.SimulatedNetwork, text)
	if err != nil {
		return c, err
	}
	for _, id := range ids {
		k, err := ring.Keys(id)
		if err != nil {
			return c, err
		}
		c.Keys = append(c.Keys, k)
	}
	return c, nil
}

// Alone is the regret of peers without neighbours, by round.
type Alone struct {
	points []uint64
	regret []float64
}

// baselineRuns is over how many runs the regret alone is averaged.
const baselineRuns = 4

// Baseline returns the regret alone and by how much each arm falls short of the
// best one over all sites.
func Baseline(ctx context.Context, s *config.Settings, world *sites.Sites) (Alone, []float64, error) {
	var gaps []float64
	rs, err := experiment.Runs(ctx, Seeds(1, baselineRuns), func(run uint64) (sim.Config, error) {
		return SimulateAlone(s, world, run)
	}, nil)
	if err != nil {
		return Alone{}, nil, err
	}
	a := Alone{points: rs[0].Points, regret: make([]float64, len(rs[0].Regret))}
	for _, r := range rs {
		for i, x := range r.Regret {
			a.regret[i] += x / baselineRuns
		}
	}
	gaps, err = world.Gaps()
	return a, gaps, err
}

// SimulateAlone is a simulation in which nobody talks to anybody.
func SimulateAlone(s *config.Settings, world *sites.Sites, run uint64) (sim.Config, error) {
	c, err := Simulate(s, world, make([][]protocol.Peer, world.N), run)
	c.Liars, c.Faults = sim.Liars{}, sim.Faults{}
	return c, err
}

// At returns the regret after a number of rounds.
func (a Alone) At(round uint64) float64 {
	r, t := 0.0, uint64(0)
	for i, p := range a.points {
		if p >= round {
			return r + (a.regret[i]-r)*float64(round-t)/float64(p-t)
		}
		r, t = a.regret[i], p
	}
	return r
}

// Seeds returns n seeds, the first of them first.
func Seeds(first, n uint64) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}
