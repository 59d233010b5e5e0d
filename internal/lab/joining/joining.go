// Package joining answers by simulation whether it pays a site to join a network.
package joining

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal"
	"peerd.dev/node"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
	"peerd.dev/protocol"
)

// A Document is a question, and after [Document.Play] its answer. Intervals are of 95 %, over networks.
type Document struct {
	Sites       int      `json:"sites"`
	Actions     int      `json:"actions"`
	Decisions   uint64   `json:"decisions"`
	Epsilon     float64  `json:"epsilon"`
	Differ      float64  `json:"differ"` // standard deviation of means between sites; not used with Best
	Best        float64  `json:"best"`   // mean of one action; 0 draws all means
	Others      float64  `json:"others"`
	Alike       bool     `json:"alike"`
	Late        uint64   `json:"late"`
	Seconds     float64  `json:"-"`
	Networks    int      `json:"networks"`
	Interrupted bool     `json:"interrupted"`
	Rows        []Row    `json:"rows"` // a site that is there from the start, and one that comes late
	Answer      []string `json:"answer"`
}

// A Row is about the first decisions of a site. It loses rewards against always taking its best action.
type Row struct {
	Site     string         `json:"site"`
	Alone    stats.Interval `json:"lost_alone"`
	Together stats.Interval `json:"lost_together"`
	Saved    stats.Interval `json:"saved"`                   // paired by network
	Most     [2]float64     `json:"lost_by_95_in_100_sites"` // at most, alone and together
	Given    float64        `json:"given"`                   // decisions
}

// The networks that are played in any case, and at most; within check they take minutes.
const leastNetworks, mostNetworks = 8, 1000

func (d *Document) check() error {
	most := 400_000_000 / uint64(max(1, d.Sites*d.Sites*d.Actions)) // decisions of a site
	switch refuse := func(text string, args ...any) error { return config.Failf(config.ErrUsage, text, args...) }; {
	case d.Sites < 2 || d.Sites > 200:
		return refuse("--sites %d: want 2 to 200, yours and those that it could join", d.Sites)
	case d.Actions < 2 || d.Actions > 100:
		return refuse("--actions %d: want 2 to 100", d.Actions)
	case d.Decisions < 1 || d.Late < 1 || d.Decisions > most || d.Late > most-d.Decisions:
		return refuse("--decisions %d, --late %d: want 1 or more each, and together at most %d with --sites %d and --actions %d; `peerd experiment run` plays more", d.Decisions, d.Late, most, d.Sites, d.Actions)
	case !(d.Epsilon >= .001 && d.Epsilon <= 1000): // or NaN
		return refuse("--epsilon %v: want 0.001 to 1000, such as 1; the noise of what sites send has a scale of 1/ε", d.Epsilon)
	case !(d.Differ >= 0 && d.Differ <= 1):
		return refuse("--differ %v: want 0, where sites are alike, to 1", d.Differ)
	case (d.Best != 0 || d.Others != 0) && !(d.Others >= 0 && d.Others < d.Best && d.Best <= 1):
		return refuse("--best %v, --others %v: want mean rewards from 0 to 1, and more for the best action", d.Best, d.Others)
	}
	return nil
}

// A form makes the run of a seed.
type form func(seed uint64) (sim.Config, error)

// forms returns networks whose sites are alone, together, and together with the last one late.
func (d *Document) forms() (all []form, err error) {
	arms, draw := "", fmt.Sprint("shared world.bernoulli.deviation=", d.Differ)
	for k := range d.Actions {
		arms += fmt.Sprintf("a%d,", k)
	}
	if d.Best > 0 {
		draw = fmt.Sprintf("given world.bernoulli.means=[[%v%s]]", d.Best, strings.Repeat(fmt.Sprint(",", d.Others), d.Actions-1))
	}
	base := fmt.Sprintf("mode=lockstep seed=1 arms=[%s] privacy.epsilon=%v privacy.accept_weak=true privacy.horizon=%d protocol.name=phases world.kind=bernoulli world.bernoulli.draw=%s testnet.nodes=%d testnet.topology=complete ",
		arms, d.Epsilon, d.Decisions, draw, d.Sites)
	together := fmt.Sprintf("learner.name=personalized learner.personalized.alike=%t experiment.give=few ", d.Alike)
	late := fmt.Sprintf("world.late.sites=1 world.late.every=%d privacy.horizon=%d", d.Late, d.Late+d.Decisions)
	complete, _, err := graphs.Build("complete", d.Sites, 1)
	for _, set := range []string{"learner.name=imed experiment.alone=true", together, together + late} {
		c, bad := plan.Schema().Load("", strings.Fields(base+set))
		if err = errors.Join(err, bad); err != nil {
			return nil, err
		}
		source, bad := plan.OpenWorld(&c.Settings, d.Sites)
		err = errors.Join(err, bad)
		all = append(all, func(seed uint64) (sim.Config, error) {
			if plan.ExperimentOf(&c.Settings).Alone {
				return experiment.SimulateAlone(&c.Settings, source, seed)
			}
			return experiment.Simulate(&c.Settings, source, config.Neighbours(d.Sites, complete.Edges()), seed)
		})
	}
	return all, err
}

// play returns what sites lose and give in the run of a seed.
func (f form) play(ctx context.Context, seed uint64) (lost, given []float64, err error) {
	r, err := stats.One(ctx, seed, func(seed uint64) (sim.Config, error) {
		c, err := f(seed)
		c.Watch = func(t protocol.Round, agents []*node.Agent) {
			for i := 0; uint64(t)+1 == c.Rounds && i < len(agents); i++ {
				given = append(given, 0)
				for _, pulls := range agents[i].Belief().Pulls { // of given decisions
					given[i] += float64(pulls)
				}
			}
		}
		return c, err
	}, nil)
	for _, s := range r.Sites {
		lost = append(lost, s.Regret)
	}
	return lost, given, err
}

// Play plays networks until the seconds are over or ctx is done. After each it calls progress with their number.
func (d *Document) Play(ctx context.Context, progress func(networks int64)) error {
	if err := d.check(); err != nil {
		return err
	}
	forms, err := d.forms()
	if err != nil {
		return err
	}
	var done atomic.Int64
	played, begin := make([][6][]float64, mostNetworks), time.Now() // what sites lose and give, by form
	err = stats.EachOf(ctx, runtime.GOMAXPROCS(0), mostNetworks, func(ctx context.Context, i int) (err error) {
		if i >= leastNetworks && !(time.Since(begin).Seconds() < d.Seconds) {
			return nil
		}
		var n [6][]float64
		for k, f := range forms {
			if n[2*k], n[2*k+1], err = f.play(ctx, uint64(i)+1); err != nil {
				return err
			}
		}
		played[i] = n
		progress(done.Add(1))
		return nil
	})
	if d.Interrupted = errors.Is(err, context.Canceled) && done.Load() > 1; err != nil && !d.Interrupted {
		return err
	}
	played, d.Networks = slices.DeleteFunc(played, func(n [6][]float64) bool { return n[0] == nil }), int(done.Load())
	d.sumUp("a site", "from the start", played, 2, 0)
	later := terminal.Number(d.Late) + " decisions later"
	d.sumUp("a site that comes "+later, later, played, 4, d.Sites-1)
	if d.first(d.Sites, d.Epsilon) == 0 {
		d.Answer = []string{d.nothing()}
	}
	return nil
}

// sumUp adds the row and the sentence of sites in a form.
func (d *Document) sumUp(who, site string, played [][6][]float64, form, from int) {
	var xs, ys, given [][]float64
	for _, n := range played {
		xs, ys, given = append(xs, n[0][from:]), append(ys, n[form][from:]), append(given, n[form+1][from:])
	}
	alone, together := stats.MeanOfSites(xs), stats.MeanOfSites(ys)
	saved := make([]float64, len(alone))
	for i := range saved {
		saved[i] = alone[i] - together[i]
	}
	r := Row{site, stats.MeanOf(alone), stats.MeanOf(together), stats.MeanOf(saved), [2]float64{stats.QuantileOf(.95, xs).Mean, stats.QuantileOf(.95, ys).Mean}, stats.MeanOf(stats.MeanOfSites(given)).Mean}
	of := fmt.Sprintf("the %.1f rewards that it loses alone in its first %s decisions", r.Alone.Mean, terminal.Number(d.Decisions))
	text := fmt.Sprintf("Not decided after %d networks: joining saves %s between %.1f and %.1f of %s.", d.Networks, who, r.Saved.Low, r.Saved.High, of)
	if r.Saved.Low > 0 {
		text = fmt.Sprintf("Joining saves %s %s of %s.", who, experiment.MeanText(r.Saved), of)
	} else if r.Saved.High < 0 {
		text = fmt.Sprintf("Joining costs %s %s more than %s.", who, experiment.MeanText(stats.Interval{Mean: -r.Saved.Mean, Low: -r.Saved.High, High: -r.Saved.Low}), of)
	}
	d.Rows, d.Answer = append(d.Rows, r), append(d.Answer, text)
}

// first returns the first batch of an action that sites give by the rule; 0 if they give nothing.
func (d *Document) first(sites int, epsilon float64) uint64 {
	return bandit.NewGift(d.Actions, sites, 0, 1/epsilon).First()
}

// nothing says why nothing is given, and what would change it.
func (d *Document) nothing() string {
	sites, tenths := d.Sites, int(10*d.Epsilon)
	for d.first(sites, d.Epsilon) == 0 {
		sites++
	}
	for tenths <= 100 && d.first(d.Sites, float64(tenths)/10) == 0 {
		tenths++
	}
	other := fmt.Sprintf("or with ε = %v", float64(tenths)/10)
	if tenths > 100 {
		other = "and with no ε up to 10"
	}
	return fmt.Sprintf("Joining would not pay yet: %d sites at ε = %v would learn too little from each other, so nothing is given. Something would be with %s sites, %s.",
		d.Sites, d.Epsilon, terminal.Number(uint64(sites)), other)
}

// Write prints the answer with its table.
func (d *Document) Write(w io.Writer) {
	t := terminal.NewTable(w)
	t.Printf("SITE\tLOSES ALONE\tLOSES TOGETHER\tJOINING SAVES\t95 %% LOSE AT MOST\tGIVES\n")
	for _, r := range d.Rows {
		t.Printf("%s\t%s\t%s\t%s\t%.1f alone, %.1f together\t%.0f\n", r.Site, experiment.MeanText(r.Alone), experiment.MeanText(r.Together), experiment.MeanText(r.Saved), r.Most[0], r.Most[1], r.Given)
	}
	t.End()
	means := fmt.Sprintf("means of actions are drawn evenly from 0 to 1 for each network, and differ between sites by %v (standard deviation)", d.Differ)
	if d.Best > 0 {
		means = fmt.Sprintf("at every site one pays %v on average, and the others %v", d.Best, d.Others)
	}
	_, _ = fmt.Fprintf(w, `%s

This is a simulation of a model: %d networks of %d sites with %d actions. Rewards are 0 or 1:
%s.
All sites decide once a round and hear each other. Lost is what always taking a site's best action would pay more.
Alone is learner imed without noise; together is learner personalized with experiment.give: few and ε = %v.
Intervals are 95 %% over seeds: chance in the simulation, and not how well the model fits you.
`, strings.Join(d.Answer, "\n"), d.Networks, d.Sites, d.Actions, means, d.Epsilon)
	if d.Interrupted {
		_, _ = fmt.Fprintln(w, "It was interrupted: more networks make the intervals narrower.")
	}
}
