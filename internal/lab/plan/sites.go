package plan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// WorldParams returns the parameters of the chosen world; nil for an application.
func WorldParams(s *config.Settings) world.Params {
	p, _ := s.Entry("world", s.World.Kind).(world.Params)
	return p
}

// worldConfig returns what the parameters of a world of n sites have to suit.
func worldConfig(s *config.Settings, n int) world.Config {
	return world.Config{Arms: len(s.Arms), Sites: n, RecordsPerUser: s.Privacy.RecordsPerUser, Traffic: WorldOf(s).Traffic, Late: WorldOf(s).Late}
}

// OpenWorld reads what the worlds of n sites need.
func OpenWorld(s *config.Settings, n int) (world.Source, error) {
	if s.World.Kind == config.Application {
		return nil, config.Failf(config.ErrRefused, "world.kind: an application pays no simulated rewards; name a simulated world")
	}
	c := worldConfig(s, n)
	c.Data = os.Getenv("PEERD_DATA")
	c.Instance = func(number uint64) *rand.Rand { return node.NewSeed(number).Rand("means") }
	c.Open = func(name string) (world.File, error) { return os.Open(name) }
	source, err := world.Open(WorldParams(s), c)
	return source, fault(err)
}

// SitesOfRun returns the sites of a run, numbered from 1. Every run draws its own means, or takes the
// means of one of the first experiment.instances runs.
func SitesOfRun(s *config.Settings, source world.Source, run uint64) (*world.Sites, error) {
	if n := ExperimentOf(s).Instances; n > 0 {
		run = (run-1)%n + 1
	}
	t, err := source.Sites(node.PeerSeed(run, protocol.Everyone).Rand("means"))
	return t, fault(err)
}

// SitesOfNetwork returns the sites of a network that has no run: of a daemon, or a testnet.
func SitesOfNetwork(source world.Source) (*world.Sites, error) {
	t, err := source.Sites(nil)
	return t, fault(err)
}

// Spec returns what the peers of a testnet agree on whose links are not known.
func Spec(s *config.Settings) (node.Spec, error) {
	n := TestnetOf(s).Nodes
	return s.Spec(make([][]protocol.Peer, n), config.SimulatedNetwork)
}

// fault says of what kind an error of a world is.
func fault(err error) error {
	var refused *world.ParamError
	var data *world.DataError
	switch {
	case errors.As(err, &refused):
		return config.Failf(config.ErrRefused, "%w", err)
	case errors.As(err, &data):
		return config.Failf(config.ErrData, "%w", err)
	}
	return err
}

// SiteNames are what tables call the sites.
func SiteNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("site-%d", i+1)
	}
	return names
}

// ArgMax returns the first of the greatest numbers.
func ArgMax(xs []float64) (arg int, best float64) {
	for k, x := range xs {
		if k == 0 || x > best {
			arg, best = k, x
		}
	}
	return arg, best
}
