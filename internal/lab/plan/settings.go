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
	Traffic []float64 `want:"shares" default:"[1]" doc:"Share of rounds with a decision at a site, one for all or several in turn."` // shares of rounds with a decision, which sites take in turn
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
	Nodes    int    `want:"1..100000" default:"5" unit:"peers" doc:"Peers of a testnet or an experiment."`
	Topology string `want:"topology" default:"ring" doc:"Links of a testnet or an experiment."`
	Seeds    int    `want:"0..10000" default:"0" unit:"runs" doc:"Simulated runs for the closing table; 0 omits it."`
}

// TestnetOf returns what settings say of the testnet.
func TestnetOf(s *config.Settings) Testnet { return of[Testnet](s, "testnet") }

// Experiment is a simulation.
type Experiment struct {
	Seeds       uint64 `want:"1..100000" default:"20" unit:"runs" doc:"Runs, each with its own seed."`
	FirstSeed   uint64 `key:"first_seed" want:"1.." default:"1" doc:"Seed of the first run; the others follow it."`
	Instances   uint64 `want:"0.." default:"0" unit:"instances" doc:"Instances that runs take in turn, where the world draws means for every run; 0 is one for every run."`
	Cells       []Cell `want:"cells" default:"[]" doc:"What is compared over the same seeds (docs/lab/experiments.md)."`
	Alone       bool   `want:"true|false" default:"false" doc:"No links: each peer learns from its own rewards, at once and without noise."`
	AloneNoised bool   `key:"alone_noised" want:"true|false" default:"false" later:"yes" doc:"No links: each peer learns from its own releases, with noise and batches."` // alone with the same noise
	Listen      bool   `want:"true|false" default:"false" shared:"yes" fixed:"yes" later:"yes" doc:"Sites with privacy.answers: inside give no decisions, and learn from what others release."`
	Noise       string `want:"tight|printed|proven" default:"tight" shared:"yes" fixed:"yes" later:"yes" doc:"Gaussian noise that epsilon and delta need; that papers 000 and 002 print (tree-gaussian, features); or, with protocol.shuffle.sees: sum, that the paper's source proves."`
	Raw         printed.Raw
	Coverage    bool `want:"true|false" default:"false" doc:"Count estimates outside of their confidence radius, and fail if more are than it allows."`
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
	Kind   string  `want:"none|curves|final" default:"curves" doc:"Regret by round, or at the end against x (final)."`
	X      string  `want:"axis" default:"\"\"" doc:"What final is drawn against; a line joins cells that differ only in it, with the costs and bytes of one name."`
	Regret string  `want:"shared|own|odd" default:"shared" doc:"Regret of final: against the best arm over all sites, of the own site, or of odd sites alone."`
	Panels []Panel `want:"panels" default:"[]" doc:"Panels of final: each has an x, a regret, and at, a setting=value of its cells."`
	Facet  string  `want:"facet" default:"\"\"" doc:"A setting, or name, with a panel for each value."`
	Log    string  `want:"none|x|y|both" default:"none" doc:"Which axes are logarithmic."`
	Bound  bool    `want:"true|false" default:"false" doc:"Draw the lower bound on regret, for rewards of 0 and 1 and peers neither alone nor liars. With regret own or odd, of a site alone without noise."`
	Runs   int     `want:"0..1000" default:"0" unit:"runs" doc:"Runs of each cell that curves show as thin lines."`
	Title  string  `want:"text" default:"\"\"" doc:"Title; if empty, the configuration's name."`
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
	Hub  float64 `want:"cost" default:"1" doc:"Cost of a round with releases over a link of a peer without arms: c₁ of paper 003."` // of a peer without arms
	Link float64 `want:"cost" default:"1" doc:"The same of a link between peers with arms: c₂ of paper 003."`                       // between peers with arms
}
