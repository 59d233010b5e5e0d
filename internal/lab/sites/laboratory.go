package sites

import (
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/world"
)

// Laboratory has the worlds of package world for peers.
type Laboratory struct{}

// Simulated implements [config.Simulating].
func (Laboratory) Simulated(s *config.Settings) config.Simulated {
	t := world.TraitsOf(Params(s))
	return config.Simulated{
		Features: t.Features, Unclipped: t.Unclipped,
		Records: t.People.Records, Spread: t.People.Spread, Gather: t.People.Gather,
	}
}

// Amend implements [config.Amending].
func (Laboratory) Amend(s *config.Settings, spec *node.Spec) {
	switch {
	case Unclipped(s):
		spec.Privacy.Amend = printed.Unclipped
	case s.Experiment.Noise == PrintedNoise:
		spec.Privacy.Amend = printed.Noise
	}
	if raw := Raw(s); raw != (printed.Raw{}) {
		spec.Wrap = raw.Wrap
	}
}

// Raw returns what follows from raw records.
func Raw(s *config.Settings) printed.Raw {
	return printed.Raw{Choices: s.Experiment.Raw.Choices, News: s.Experiment.Raw.News}
}

// Unclipped reports whether rewards of the chosen world may be outside of [0, 1].
func Unclipped(s *config.Settings) bool { return world.TraitsOf(Params(s)).Unclipped }

// How much Gaussian noise there is.
const (
	TightNoise   = "tight"   // what epsilon and delta ask for
	PrintedNoise = "printed" // what papers print
)

// Check implements [config.Checking] for worlds.
func (Laboratory) Check(s *config.Settings, peers int, bad map[string]bool) []config.Problem {
	prefix, n := "world."+s.World.Kind+".", s.SitesOf(peers)
	if s.World.Kind == config.Application || peers > 0 && n == 0 || config.AnyBad(bad, prefix, "world.kind", "arms", "testnet.nodes", "privacy.records_per_user") {
		return nil
	}
	if want := world.CheckTraffic(s.World.Traffic, n); want != "" && !bad["world.traffic"] {
		return s.Refused("world.", "traffic", want)
	}
	field, want := world.Check(Params(s), Config(s, n))
	return s.Refused(prefix, field, want)
}

// Open implements [config.Simulating].
func (Laboratory) Open(s *config.Settings, n int) (config.Sites, error) {
	source, err := Open(s, n)
	if err != nil {
		return nil, err
	}
	return network{s, source}, nil
}

// network has the sites of a network that has no run.
type network struct {
	s      *config.Settings
	source world.Source
}

// Data implements [config.Sites].
func (n network) Data() string { return n.source.Data() }

// Vectors implements [config.Sites].
func (n network) Vectors() ([][]bandit.Features, error) {
	t, err := Of(n.s, n.source)
	if err != nil {
		return nil, err
	}
	return t.Vectors, nil
}

// World implements [config.Sites].
func (n network) World(site int, coins *rand.ChaCha8) (bandit.World, error) {
	t, err := Of(n.s, n.source)
	if err != nil {
		return nil, err
	}
	return t.World(site, coins)
}
