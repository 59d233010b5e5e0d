package experiment

import (
	"context"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

const honest = "alone: nothing leaves a site, no noise, rewards at once"

// Alone says what sites are in [SimulateAlone]. They have the noise of a network if an experiment asks for it, and with a
// learner that explores in epochs, which end with releases.
func Alone(s *config.Settings) string {
	if plan.ExperimentOf(s).AloneNoised || bandit.TraitsOf(s.LearnerParams()).Phased {
		return "alone with the same noise"
	}
	return honest
}

// A Curve is the regret of a site after each of some numbers of rounds.
type Curve struct {
	points []uint64
	regret []float64
}

// At returns the regret after a number of rounds; 0 on an empty curve.
func (c Curve) At(round uint64) float64 {
	r, t := 0.0, uint64(0)
	for i, p := range c.points {
		if p >= round {
			return r + (c.regret[i]-r)*float64(round-t)/float64(p-t)
		}
		r, t = c.regret[i], p
	}
	return r
}

// Empty reports whether nothing was simulated.
func (c Curve) Empty() bool { return len(c.regret) == 0 }

// Baseline is what the sites of a testnet lose in simulations: alone, see [SimulateAlone], and together.
type Baseline struct {
	Alone    []Curve     // by site with arms, against the arm that is best over all sites
	OwnAlone []Curve     // the same against the best arm of each site; empty curves where arms have no means
	Together []float64   // by site with arms, against the best arm of its site, at the end, or by features, against the best of its own parameter; nil where sites choose one arm for all
	Gaps     []float64   // by how much each arm falls short of the best one over all sites; nil without means
	Means    [][]float64 // of arms, by site; nil without means
}

// BaselineRuns is over how many runs a baseline is averaged.
const BaselineRuns = 8

// NewBaseline simulates the sites of a testnet, and the testnet with these links.
func NewBaseline(ctx context.Context, s *config.Settings, source world.Source, links [][]protocol.Peer) (b Baseline, err error) {
	worlds, err := plan.SitesOfNetwork(source)
	if err != nil {
		return b, err
	}
	b.Gaps, b.Means = worlds.Gaps(), worlds.Means
	for site := range s.SitesOf(plan.TestnetOf(s).Nodes) {
		all, own, failed := curves(ctx, func(run uint64) (sim.Config, error) {
			c, refused := SimulateAlone(s, source, run)
			if refused != nil {
				return c, refused
			}
			only := site + 1
			c.Seeds, c.Keys, c.Worlds, c.Spec.Graph = c.Seeds[site:only], c.Keys[site:only], c.Worlds[site:only], c.Spec.Graph[site:only]
			if c.Means != nil {
				c.Means = c.Means[site:only]
			}
			return c, nil
		})
		if failed != nil {
			return b, failed
		}
		b.Alone, b.OwnAlone = append(b.Alone, all), append(b.OwnAlone, own)
	}
	if !bandit.TraitsOf(s.LearnerParams()).Selfish && b.Means != nil {
		return b, nil
	}
	rs, err := stats.Runs(ctx, Seeds(1, BaselineRuns), func(run uint64) (sim.Config, error) { return Simulate(s, source, links, run) }, nil)
	b.Together = make([]float64, len(b.OwnAlone))
	for i := range rs {
		for _, site := range rs[i].Sites {
			b.Together[site.Number] += site.Regret / BaselineRuns
		}
	}
	return b, err
}

// curves returns the mean of the regret over runs, and of the regret against the best arm of each site.
func curves(ctx context.Context, play func(run uint64) (sim.Config, error)) (all, own Curve, err error) {
	rs, err := stats.Runs(ctx, Seeds(1, BaselineRuns), play, nil)
	if err != nil {
		return all, own, err
	}
	mean := func(of func(*sim.Result) []float64) Curve {
		c := Curve{points: rs[0].Points, regret: make([]float64, len(of(&rs[0])))}
		for i := range rs {
			for k, x := range of(&rs[i]) {
				c.regret[k] += x / BaselineRuns
			}
		}
		return c
	}
	all = mean(func(r *sim.Result) []float64 { return r.Regret })
	if own = mean(func(r *sim.Result) []float64 { return r.OwnCurve }); own.Empty() {
		own = Curve{}
	}
	return all, own, nil
}
