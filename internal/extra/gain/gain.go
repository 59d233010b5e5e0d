// Package gain estimates what a running site has gained by joining a network.
package gain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"peerd.dev/internal/terminal"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/protocol"
)

const (
	draws = 100     // of the arms' means
	most  = 100_000 // decisions of a simulation
	few   = 20_000  // of all simulations of a draw, if there is more than one; what a site loses alone is their mean
	lives = 8       // at most
)

// Exact puts what a site that keeps decisions knows of its own users into arms of which it knows others' releases: its decisions, given
// and kept, its exact rewards, and the means from which its choices follow.
func Exact(arms []api.Arm, x *node.Inside) {
	for k := range x.Pulls[:min(len(arms), len(x.Pulls))] {
		a := &arms[k]
		a.Pulls, a.Own, a.Estimate, a.NoiseSD = x.Pulls[k], x.Rewards[k], x.Estimates[k], 0 // the noise of others is in Borrowed
	}
}

// Missing returns why the gain of a site with these arms cannot be estimated yet, or "". Before a reward of its own and one
// of another site are released, there is nothing to compare.
func Missing(arms []api.Arm) string {
	const unknown = "what joining has gained is not known yet: "
	arms = offered(arms)
	decisions, own, borrowed := uint64(0), 0., uint32(0)
	for i := range arms {
		decisions, own, borrowed = decisions+arms[i].Pulls, own+arms[i].Own, max(borrowed, arms[i].Sites)
	}
	switch {
	case decisions == 0:
		return unknown + "the site has made no decision, or does not show how many"
	case own == 0 && borrowed == 0:
		return unknown + "no reward is released yet that this protocol tells apart by site"
	case own == 0:
		return unknown + "no reward of this site is known"
	case borrowed == 0:
		return unknown + "no reward of another site has come"
	}
	for i := range arms {
		if arms[i].Own+arms[i].Borrowed == 0 {
			return unknown + fmt.Sprintf("no reward of %s is known", arms[i].Name)
		}
	}
	return ""
}

// Estimate estimates the gain of a site with arms of which [Missing] finds nothing. Each draw has means of the arms that agree
// with what the site knows: normal around an estimate, with the variance of as many rewards as it rests on, and of its noise. A
// site that is simulated alone then learns from rewards of 0 and 1 with these means, without noise, and waits for them as the site did:
// some times, of which a draw has the mean.
// An estimate takes a share of a processor's time, over 0 up to 1.
func Estimate(ctx context.Context, s Site, arms []api.Arm, share float64) (g api.Gain, err error) {
	arms = offered(arms)
	var pulls []uint64
	for i := range arms {
		pulls = append(pulls, arms[i].Pulls)
		g.Decisions += arms[i].Pulls
	}
	g.Simulated, g.Waited = min(g.Decisions, most), s.Waited
	site := s.alone(len(arms))
	var together, alone, saved []float64
	for run := range uint64(draws) {
		begin := time.Now()
		seed := node.PeerSeed(run+1, 0)
		means := draw(arms, seed.Rand("gain"))
		a, times := 0., min(lives, max(1, few/max(1, g.Simulated)))
		for life := range times {
			once, wrong := site.lose(node.PeerSeed(run+1, protocol.Peer(life)), g.Simulated, means)
			if wrong != nil {
				return g, wrong
			}
			a += once / float64(times)
		}
		lost := regret(pulls, means)
		together, alone, saved = append(together, lost), append(alone, a), append(saved, a-lost)
		if err = rest(ctx, time.Since(begin), share); err != nil {
			return g, err
		}
	}
	for _, rewards := range [][]float64{together, alone, saved} {
		for i := range rewards {
			rewards[i] *= cmp.Or(s.Unit, 1)
		}
	}
	g.Together, g.Alone, g.Saved = rangeOf(together), rangeOf(alone), rangeOf(saved)
	g.Sentence = sentence(&g)
	return g, nil
}

// offered returns the arms that are not retired.
func offered(arms []api.Arm) []api.Arm {
	return slices.DeleteFunc(slices.Clone(arms), func(a api.Arm) bool { return a.Retired })
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
func rangeOf(xs []float64) *api.Range {
	slices.Sort(xs)
	at := func(share float64) float64 { return xs[int(share*float64(len(xs)-1)+.5)] }
	return &api.Range{Median: at(.5), Low: at(.025), High: at(.975)}
}

// sentence returns what joining has gained.
func sentence(g *api.Gain) string {
	r, in := g.Saved, terminal.Number(g.Decisions)+" decisions, compared with being alone without noise"
	switch {
	case r.Low > 0:
		return fmt.Sprintf("joining has saved this site's own users %.1f rewards (%.1f to %.1f) in %s", r.Median, r.Low, r.High, in)
	case r.High < 0:
		return fmt.Sprintf("joining has cost this site's own users %.1f rewards (%.1f to %.1f) in %s", -r.Median, -r.High, -r.Low, in)
	}
	return fmt.Sprintf("whether joining has helped this site's own users is not known yet: between %.1f rewards lost and %.1f saved in %s", 0-r.Low, r.High, in)
}
