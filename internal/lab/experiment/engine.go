package experiment

import (
	"context"
	"fmt"

	"peerd.dev/gossip/topology"
	"peerd.dev/internal/config"
	"peerd.dev/node/lab/sim"
)

// An Engine plays the peers of runs in place of the simulator.
type Engine interface {
	// Name returns what manifests call it.
	Name() string
	// Refuse returns which setting it cannot play.
	Refuse(s *config.Settings) error
	// Play plays the run of a number, until ctx is done.
	Play(ctx context.Context, s *config.Settings, graph *topology.Graph, run uint64) (*sim.Played, error)
}

// engine returns the name of the engine, empty for the simulator.
func (o *Options) engine() string {
	if o.Engine == nil {
		return ""
	}
	return o.Engine.Name()
}

// refuse returns which cell the engine cannot play.
func (o *Options) refuse(cells []cellRun) error {
	if o.Engine == nil {
		return nil
	}
	for i := range cells {
		if err := o.Engine.Refuse(&cells[i].Settings); err != nil {
			return fmt.Errorf("cell %q: %w", cells[i].Name, err)
		}
	}
	return nil
}
