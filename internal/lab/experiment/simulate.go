package experiment

import (
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// Simulate returns the run of a number in which n sites with given links do
// what peers with these settings do. Its noise comes from the seed, so it is not
// private.
func Simulate(s *config.Settings, source world.Source, links [][]protocol.Peer, run uint64) (sim.Config, error) {
	spec, err := Spec(s, links)
	if err != nil {
		return sim.Config{}, err
	}
	x := plan.ExperimentOf(s)
	c := sim.Config{
		Spec: spec, Rounds: s.RoundCount(), Points: 100, Bytes: true,
		Network: node.PeerSeed(run, protocol.Everyone), Faults: x.Faults, Liars: x.Liars,
	}
	worlds, err := plan.SitesOfRun(s, source, run)
	if err != nil {
		return c, err
	}
	c.Own, c.OwnGap = worlds.Own, worlds.OwnGap
	changing := world.TraitsOf(plan.WorldParams(s)).Changing
	if !changing {
		c.Truth = worlds.Overall()
	}
	var (
		ids  []gossip.Identity
		text []string
	)
	for i := range links {
		number := node.PeerNumber(run, protocol.Peer(i))
		seed := node.NewSeed(number)
		c.Seeds = append(c.Seeds, seed)
		var w bandit.World // nil for a peer without arms
		if protocol.Learns(spec.Protocol, protocol.Peer(i)) {
			if w, err = worlds.World(s.SitesOf(i), rand.NewChaCha8(seed.Of("world"))); err != nil {
				return c, err
			}
		}
		c.Worlds = append(c.Worlds, w)
		if worlds.Means != nil && !changing {
			var own []float64 // nil for a peer without arms
			if w != nil {
				own = worlds.Means[s.SitesOf(i)]
			}
			c.Means = append(c.Means, own)
		}
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
		c.Keys = append(c.Keys, vouch.For[protocol.Keys](k))
	}
	return c, nil
}

// Spec returns what simulated sites with given links agree on.
func Spec(s *config.Settings, links [][]protocol.Peer) (node.Spec, error) {
	spec, err := s.Spec(links, config.SimulatedNetwork)
	spec.Privacy.Mode = dp.Lockstep
	return spec, err
}

// SimulateAlone is a simulation in which every peer that has arms is a network of one, as [Alone] says.
func SimulateAlone(s *config.Settings, source world.Source, run uint64) (sim.Config, error) {
	c, err := Simulate(s, source, make([][]protocol.Peer, plan.TestnetOf(s).Nodes), run)
	if err != nil {
		return c, err
	}
	var seeds []node.Seed
	var keys []vouch.Value[protocol.Keys]
	var worlds []bandit.World
	var means [][]float64
	for i := range c.Seeds {
		if protocol.Learns(c.Spec.Protocol, protocol.Peer(i)) {
			seeds, keys, worlds = append(seeds, c.Seeds[i]), append(keys, c.Keys[i]), append(worlds, c.Worlds[i])
			if c.Means != nil {
				means = append(means, c.Means[i])
			}
		}
	}
	c.Seeds, c.Keys, c.Worlds, c.Means = seeds, keys, worlds, means
	c.Spec.Graph, c.Spec.Protocol = make([][]protocol.Peer, len(seeds)), protocol.Among(c.Spec.Protocol, 1)
	c.Alone, c.Liars, c.Faults = true, sim.Liars{}, sim.Faults{}
	if Alone(s) == honest {
		c.Spec.Give = node.GiveNone
	}
	return c, nil
}

// Seeds returns n seeds, the first of them first.
func Seeds(first, n uint64) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}
