package plan

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol/shuffling"
)

// laboratory has the worlds of package world for peers, and the rules of testnets.
type laboratory struct{}

// Simulated implements [config.Laboratory].
func (laboratory) Simulated(s *config.Settings) config.Simulated {
	t := world.TraitsOf(WorldParams(s))
	return config.Simulated{
		Peers: TestnetOf(s).Nodes, Traffic: WorldOf(s).Traffic,
		Unclipped: t.Unclipped,
		Records:   t.People.Records, Spread: t.People.Spread, Gather: t.People.Gather,
	}
}

// Amend implements [config.Laboratory].
func (laboratory) Amend(s *config.Settings, spec *node.Spec) {
	x := ExperimentOf(s)
	switch {
	case Unclipped(s):
		spec.Privacy.Amend = printed.Unclipped
	case spec.Privacy.Mechanism == dp.None:
	default:
		p, ok := s.ProtocolParams().(shuffling.Params)
		if ok && (p.Honest > 1 || x.Noise != tightNoise) {
			spec.Privacy.Amend = amended(s, p)
		} else if x.Noise == printedNoise {
			spec.Privacy.Amend = printed.Noise
		}
	}
	if x.Listen {
		spec.Give = node.GiveNone
	}
	if x.Raw != (printed.Raw{}) {
		spec.Wrap = x.Raw.Wrap
	}
}

// Unclipped reports whether rewards of the chosen world may be outside of [0, 1].
func Unclipped(s *config.Settings) bool { return world.TraitsOf(WorldParams(s)).Unclipped }

// How much Gaussian noise there is.
const (
	tightNoise   = "tight"   // what epsilon and delta ask for
	printedNoise = "printed" // what papers print
	provenNoise  = "proven"  // what is proved of what paper 002 prints
)

// Check implements [config.Laboratory]. A peer with an application is in a network of its own, which is
// checked when its network file is read.
func (laboratory) Check(s *config.Settings, peers int, bad map[string]bool) []config.Problem {
	problems := checkWorld(s, peers, bad)
	if peers > 0 || s.World.Kind == config.Application {
		return problems
	}
	for _, p := range problems {
		bad[p.Key] = true
	}
	testnet := TestnetOf(s)
	net := knownNet(testnet.Topology, testnet.Nodes)
	net.Horizon = s.Privacy.Rounds()
	for _, p := range append(s.CheckProtocol(net, bad), checkWorld(s, testnet.Nodes, bad)...) {
		p.Reason += fmt.Sprintf(", with %s and %s", s.With("testnet.nodes"), s.With("testnet.topology"))
		problems = append(problems, p)
	}
	return problems
}

// checkWorld returns in what the chosen world does not suit a network of a number of peers, or with 0 any network.
func checkWorld(s *config.Settings, peers int, bad map[string]bool) []config.Problem {
	prefix, n := "world."+s.World.Kind+".", s.SitesOf(peers)
	if s.World.Kind == config.Application || peers > 0 && n == 0 || config.AnyBad(bad, prefix, "world.kind", "arms", "testnet.nodes", "privacy.records_per_user") {
		return nil
	}
	if field, want := world.CheckTraffic(worldConfig(s, n)); field != "" && !bad["world."+field] {
		return s.Refused("world.", field, want)
	}
	field, want := world.Check(WorldParams(s), worldConfig(s, n))
	return s.Refused(prefix, field, want)
}

// Open implements [config.Laboratory].
func (laboratory) Open(s *config.Settings, n int) (config.Sites, error) {
	source, err := OpenWorld(s, n)
	if err != nil {
		return nil, err
	}
	return network{source}, nil
}

// network has the sites of a network that has no run.
type network struct{ source world.Source }

// Data implements [config.Sites].
func (n network) Data() string { return n.source.Data() }

// World implements [config.Sites].
func (n network) World(site int, coins *rand.ChaCha8) (bandit.World, error) {
	t, err := SitesOfNetwork(n.source)
	if err != nil {
		return nil, err
	}
	return t.World(site, coins)
}
