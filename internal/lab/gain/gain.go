// Package gain estimates what a running site has gained by joining a network.
package gain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/terminal"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

const (
	draws = 100     // of the arms' means, with a simulation each
	most  = 100_000 // rounds of a simulation
)

// Range is an estimate: the median, and what 95 % of all draws are in.
type Range struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Gain is what a site's own users have lost with the network, and would have lost without it. All ranges are
// of regret, in rewards.
type Gain struct {
	Decisions uint64 `json:"decisions"` // that the site has made
	Simulated uint64 `json:"simulated"` // of them; later ones cost nothing in Alone
	Together  Range  `json:"together"`  // pulls by how much each arm's mean is below the best one's
	Alone     Range  `json:"alone"`     // of a site without neighbours, with the same settings
	Saved     Range  `json:"saved"`     // Alone without Together, draw by draw
}

// Estimate estimates the gain of a site with these settings. Each draw has means of the arms that agree with what the
// site knows: normal around an estimate, with the variance of as many rewards as it rests on, and of its noise. A
// simulated site without neighbours then learns from rewards of 0 and 1 with these means, one a round.
// It returns an error if the site does not show what it needs.
func Estimate(ctx context.Context, s *config.Settings, arms []api.Arm) (g Gain, err error) {
	arms = slices.DeleteFunc(slices.Clone(arms), func(a api.Arm) bool { return a.Retired })
	for i := range arms {
		g.Decisions += arms[i].Pulls
		if arms[i].Own+arms[i].Borrowed == 0 {
			return g, fmt.Errorf("nothing is known of %s yet, or the protocol keeps no sites apart: what joining has gained is not known", arms[i].Name)
		}
	}
	if g.Decisions == 0 {
		return g, errors.New("the number of decisions is not shown, or 0: what joining has gained is not known")
	}
	g.Simulated = min(g.Decisions, most)
	spec, err := alone(s, len(arms))
	if err != nil {
		return g, err
	}
	means := make([][]float64, draws)
	build := func(run uint64) (sim.Config, error) {
		seed := node.NewSeed(node.PeerNumber(run, 0))
		m := draw(arms, seed.Rand("gain"))
		means[run-1] = m
		w, errWorld := world.NewBernoulli(m, rand.NewChaCha8(seed.Of("world")))
		return sim.Config{
			Spec: spec, Seeds: []node.Seed{seed}, Worlds: []bandit.World{w}, Means: [][]float64{m},
			Rounds: g.Simulated, Points: 1, Alone: true, Network: node.PeerSeed(run, protocol.Everyone),
		}, errWorld
	}
	rs, err := stats.Runs(ctx, experiment.Seeds(1, draws), build, nil)
	if err != nil {
		return g, err
	}
	var together, apart, saved []float64
	for i, m := range means {
		lost := 0.0
		for k := range arms {
			lost += float64(arms[k].Pulls) * (slices.Max(m) - m[k])
		}
		together, apart, saved = append(together, lost), append(apart, *rs[i].OwnRegret), append(saved, *rs[i].OwnRegret-lost)
	}
	g.Together, g.Alone, g.Saved = rangeOf(together), rangeOf(apart), rangeOf(saved)
	return g, nil
}

// alone returns what a site without neighbours has to know.
func alone(s *config.Settings, arms int) (node.Spec, error) {
	spec, err := experiment.Spec(s, make([][]protocol.Peer, 1))
	if err != nil {
		return spec, err
	}
	spec.Arms, spec.Absent = arms, nil
	spec.Protocol = protocol.Among(spec.Protocol, 1)
	return spec, nil
}

// draw draws the arms' means.
func draw(arms []api.Arm, rng *rand.Rand) []float64 {
	means := make([]float64, len(arms))
	for k, a := range arms {
		sd := math.Hypot(1/(2*math.Sqrt(a.Own+a.Borrowed)), a.NoiseSD)
		means[k] = min(1, max(0, a.Estimate+sd*rng.NormFloat64()))
	}
	return means
}

// rangeOf returns the range of some draws.
func rangeOf(xs []float64) Range {
	slices.Sort(xs)
	at := func(share float64) float64 { return xs[int(share*float64(len(xs)-1)+.5)] }
	return Range{Median: at(.5), Low: at(.025), High: at(.975)}
}

// Write writes a gain for people.
func (g *Gain) Write(w io.Writer) {
	first := ""
	if g.Simulated < g.Decisions {
		first = fmt.Sprintf(" (the first %s of them, alone)", terminal.Number(g.Simulated))
	}
	_, _ = fmt.Fprintf(w, "In %s decisions%s this site's users have lost, against the best action for them:\n", terminal.Number(g.Decisions), first)
	for _, x := range []struct {
		name string
		r    Range
	}{{"with the network", g.Together}, {"without neighbours, in simulations", g.Alone}, {"gained by joining", g.Saved}} {
		_, _ = fmt.Fprintf(w, "  %-35s %8.1f rewards (%.1f to %.1f)\n", x.name, x.r.Median, x.r.Low, x.r.High)
	}
	switch {
	case g.Saved.Low > 0:
		_, _ = fmt.Fprintln(w, "Joining has helped.")
	case g.Saved.High < 0:
		_, _ = fmt.Fprintln(w, "Joining has cost more than it gave.")
	default:
		_, _ = fmt.Fprintln(w, "Whether joining has helped is not known yet: the range has 0 in it.")
	}
}
