package plan

import (
	"slices"

	"peerd.dev/internal/config"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
)

// sections lists what a configuration has in addition to a site's settings.
func sections() []config.Entry {
	return []config.Entry{{Name: "world", Params: World{}}, {Name: "testnet", Params: Testnet{}}, {Name: "experiment", Params: Experiment{}}}
}

// World says when sites of a simulated world have a decision to make.
type World struct {
	Traffic []float64 // shares of rounds with a decision, which sites take in turn
	Late    world.Late
}

// WorldOf returns what settings say of the simulated world.
func WorldOf(s *config.Settings) World { return of[World](s, "world") }

// pauses returns the first key by which sites have no decision in some rounds; empty for none.
func (w World) pauses() string {
	switch {
	case w.Late.Sites > 0:
		return "world.late.sites"
	case w.Late.Life > 0:
		return "world.late.life"
	case slices.ContainsFunc(w.Traffic, func(share float64) bool { return share < 1 }):
		return "world.traffic"
	}
	return ""
}

// Testnet is a network on one machine.
type Testnet struct {
	Nodes    int
	Topology string
	Seeds    int
}

// TestnetOf returns what settings say of the testnet.
func TestnetOf(s *config.Settings) Testnet { return of[Testnet](s, "testnet") }

// Experiment is a simulation.
type Experiment struct {
	Seeds       uint64
	FirstSeed   uint64 `key:"first_seed"`
	Instances   uint64
	Cells       []Cell
	Alone       bool
	AloneNoised bool `key:"alone_noised"` // alone with the same noise
	Listen      bool
	Noise       string
	Raw         printed.Raw
	Coverage    bool
	Faults      sim.Faults
	Liars       sim.Liars
	Cost        Cost
	Figure      Figure
}

// ExperimentOf returns what settings say of the experiment.
func ExperimentOf(s *config.Settings) Experiment { return of[Experiment](s, "experiment") }

// Apart reports whether there are no links.
func Apart(s *config.Settings) bool { return ExperimentOf(s).Alone || ExperimentOf(s).AloneNoised }

// of returns a section of settings; a site's are zero.
func of[T any](s *config.Settings, section string) T {
	t, _ := s.Entry("", section).(T)
	return t
}

// Cell is a part of an experiment: settings that replace the configuration's. A key with a list
// of values stands for as many cells, and so do cells in Each, which all have Name and Set, too.
type Cell struct {
	Name string         `yaml:",omitempty"`
	Each []Cell         `yaml:",omitempty"`
	Set  map[string]any `yaml:",omitempty"`
}

// Figure says what an experiment draws.
type Figure struct {
	Kind   string
	X      string
	Regret string
	Panels []Panel
	Facet  string
	Log    string
	Bound  bool
	Runs   int
	Title  string
}

// A Panel is a part of a figure of regret at the end.
type Panel struct {
	X      string
	Regret string `yaml:",omitempty"`
	At     string `yaml:",omitempty"` // key=value of the cells that it shows; all without one
}

// Views returns what a figure of regret at the end shows side by side.
func (f *Figure) Views() []Panel {
	if len(f.Panels) > 0 {
		return f.Panels
	}
	return []Panel{{X: f.X, Regret: f.Regret}}
}

// Cost is the cost of a release over a link in a round.
type Cost struct {
	Hub  float64 // of a peer without arms
	Link float64 // between peers with arms
}
