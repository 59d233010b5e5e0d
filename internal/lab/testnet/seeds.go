package testnet

import (
	"context"
	"fmt"
	"io"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/progress"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
	"peerd.dev/node/lab/world"
)

// Comparison is what sites learn alone and together over simulated runs of the
// same network.
type Comparison struct {
	Runs     int              `json:"runs"`
	Own      bool             `json:"own_objective"` // sites choose for their own users: what is right, and regret, are by the best arm of each site
	Best     string           `json:"best_arm"`      // over all sites; empty where arms have no means
	Sites    []SiteComparison `json:"sites"`
	Alone    stats.Interval   `json:"regret_alone"`
	Together stats.Interval   `json:"regret_together"`
	Less     stats.Interval   `json:"regret_alone_minus_together"` // by run
}

// A SiteComparison is what one site learns alone and together.
type SiteComparison struct {
	Name     string         `json:"name"`
	Means    []float64      `json:"arm_means"`      // what its arms really pay
	Best     string         `json:"best_arm_here"`  // by them
	Alone    stats.Interval `json:"right_alone"`    // share of runs in which its estimate picks the right arm: the best one over all sites, or its own
	Together stats.Interval `json:"right_together"` // same
	LearnsA  []int          `json:"learns_alone"`   // runs by arm picked
	LearnsT  []int          `json:"learns_together"`
}

// compare simulates the network and its sites alone, with noise, over seeds.
func (t *Net) compare(ctx context.Context, w io.Writer, source world.Source) (*Comparison, error) {
	n := plan.TestnetOf(t.Settings)
	runs, links := n.Seeds, config.Neighbours(n.Nodes, t.Graph.Edges())
	p := progress.New(w, fmt.Sprintf("%d seeds, together and alone", runs), 2*uint64(runs)*t.Settings.RoundCount())
	defer p.End()
	seeds := experiment.Seeds(1, uint64(runs))
	together, err := stats.Runs(ctx, seeds, func(run uint64) (sim.Config, error) {
		return experiment.Simulate(t.Settings, source, links, run)
	}, p.Add)
	if err != nil {
		return nil, err
	}
	alone, err := stats.Runs(ctx, seeds, func(run uint64) (sim.Config, error) {
		return experiment.SimulateAlone(t.Settings, source, run)
	}, p.Add)
	if err != nil {
		return nil, err
	}
	worlds, err := plan.SitesOfNetwork(source)
	if err != nil {
		return nil, err
	}
	means := worlds.Means
	best, _ := plan.ArgMax(worlds.Overall())
	c := &Comparison{Runs: runs, Own: t.selfish()}
	if means != nil {
		c.Best = t.Settings.Arms[best]
	}
	for i, name := range t.Names {
		if means == nil || !t.learns(i) {
			continue
		}
		site := t.Settings.SitesOf(i)
		here, _ := plan.ArgMax(means[site])
		right := best
		if c.Own {
			right = here
		}
		a, ka := picks(alone, site, len(t.Settings.Arms), right)
		b, kb := picks(together, i, len(t.Settings.Arms), right)
		c.Sites = append(c.Sites, SiteComparison{
			Name: name, Means: means[site], Best: t.Settings.Arms[here],
			Alone: stats.ShareOf(ka, runs), Together: stats.ShareOf(kb, runs), LearnsA: a, LearnsT: b,
		})
	}
	var ra, rt, less []float64
	for i := range runs {
		a, b := last(alone[i].Regret), last(together[i].Regret)
		if c.Own {
			a, b = *alone[i].OwnRegret, *together[i].OwnRegret
		}
		ra, rt, less = append(ra, a), append(rt, b), append(less, a-b)
	}
	c.Alone, c.Together, c.Less = stats.MeanOf(ra), stats.MeanOf(rt), stats.MeanOf(less)
	return c, nil
}

// picks counts in how many runs a peer's estimate picked each arm, and the right one.
func picks(rs []sim.Result, peer, arms, right int) (by []int, n int) {
	by = make([]int, arms)
	for _, r := range rs {
		arg, _ := plan.ArgMax(r.Means[peer])
		by[arg]++
	}
	return by, by[right]
}

func last(xs []float64) float64 { return xs[len(xs)-1] }

func (c *Comparison) write(w io.Writer, s *config.Settings) {
	_, _ = fmt.Fprintf(w, "\nOver %d simulated runs of this network, noise included:\n", c.Runs)
	if c.Best != "" {
		c.writeArms(w, s)
	}
	whose := ""
	if c.Own {
		whose = ", of its own users' rewards"
	}
	_, _ = fmt.Fprintf(w, "regret of a site%s: alone %s, together %s, difference %s: %s\n", whose,
		experiment.MeanText(c.Alone), experiment.MeanText(c.Together), experiment.MeanText(c.Less), regretVerdict(c.Less))
}

// writeArms writes what sites pick.
func (c *Comparison) writeArms(w io.Writer, s *config.Settings) {
	_, _ = fmt.Fprintf(w, "the best arm over all sites is %s\n", c.Best)
	t := columns.New(w)
	t.Printf("SITE")
	for _, arm := range s.Arms {
		t.Printf("\t%s", strings.ToUpper(arm))
	}
	t.Printf("\tBEST HERE\tRIGHT ALONE\tRIGHT TOGETHER\tVERDICT TOGETHER\n")
	for _, x := range c.Sites {
		t.Printf("%s", x.Name)
		for _, m := range x.Means {
			t.Printf("\t%.4f", m)
		}
		t.Printf("\t%s\t%s\t%s\t%s\n", x.Best, shareText(x.Alone), shareText(x.Together), verdict(x.Together))
	}
	t.End()
	_, _ = fmt.Fprintf(w, "picked (%s), alone | together:", strings.Join(s.Arms, ", "))
	for _, x := range c.Sites {
		_, _ = fmt.Fprintf(w, "  %s %v | %v", x.Name, x.LearnsA, x.LearnsT)
	}
	_, _ = fmt.Fprintln(w)
}

func shareText(i stats.Interval) string {
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*i.Mean, 100*i.Low, 100*i.High)
}

// verdict says whether a site is right more often than not, by the whole interval.
func verdict(i stats.Interval) string {
	switch {
	case i.Low > .5:
		return "right"
	case i.High < .5:
		return "wrong"
	}
	return "too close to say"
}

func regretVerdict(less stats.Interval) string {
	switch {
	case less.Low > 0:
		return "together is better"
	case less.High < 0:
		return "together is worse"
	}
	return "too close to say"
}
