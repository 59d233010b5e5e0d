package main

import (
	"context"

	"peerd.dev/dp"
	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/node/experiment"
	"peerd.dev/node/sim"
	"peerd.dev/protocol"
)

// simulation returns the run of a number in which n sites with given links do
// what peers with these settings do. Its noise comes from the seed, so it is not
// private.
func (s *Settings) simulation(world *sites, links [][]protocol.Peer, run uint64) (sim.Config, error) {
	n := len(links)
	spec, err := s.spec(n)
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
	world = world.in(run)
	var (
		ids  []gossip.Identity
		text []string
	)
	for i := range n {
		number := node.PeerNumber(run, protocol.Peer(i))
		seed := node.NewSeed(number)
		c.Seeds = append(c.Seeds, seed)
		w, bad := world.world(i, seed.Rand("world"))
		if bad != nil {
			return c, bad
		}
		c.Worlds = append(c.Worlds, w)
		ids = append(ids, lockstepIdentity(number))
		text = append(text, ids[i].ID())
	}
	ring, err := gossip.NewKeyring(simulatedNetwork, text)
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

// alone is the regret of peers without neighbours, by round.
type alone struct {
	points []uint64
	regret []float64
}

// baselineRuns is over how many runs the regret alone is averaged.
const baselineRuns = 4

// baseline returns the regret alone and by how much each arm falls short of the
// best one over all sites.
func baseline(ctx context.Context, s *Settings, world *sites) (alone, []float64, error) {
	var gaps []float64
	rs, err := experiment.Runs(ctx, seedsFrom(1, baselineRuns), func(run uint64) (sim.Config, error) {
		return s.aloneRun(world, run)
	}, nil)
	if err != nil {
		return alone{}, nil, err
	}
	a := alone{points: rs[0].Points, regret: make([]float64, len(rs[0].Regret))}
	for _, r := range rs {
		for i, x := range r.Regret {
			a.regret[i] += x / baselineRuns
		}
	}
	gaps, err = world.gaps()
	return a, gaps, err
}

// aloneRun is a simulation in which nobody talks to anybody.
func (s *Settings) aloneRun(world *sites, run uint64) (sim.Config, error) {
	c, err := s.simulation(world, make([][]protocol.Peer, world.n), run)
	c.Liars, c.Faults = sim.Liars{}, sim.Faults{}
	return c, err
}

// at returns the regret after a number of rounds.
func (a alone) at(round uint64) float64 {
	r, t := 0.0, uint64(0)
	for i, p := range a.points {
		if p >= round {
			return r + (a.regret[i]-r)*float64(round-t)/float64(p-t)
		}
		r, t = a.regret[i], p
	}
	return r
}

func seedsFrom(first, n uint64) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}
