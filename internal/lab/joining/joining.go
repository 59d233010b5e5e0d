// Package joining answers by simulation whether it pays a site to join a network.
package joining

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/lab/stats"
)

// A Document is a question, and after [Document.Play] its answer. Intervals are of 95 %, over networks.
type Document struct {
	Sites       int      `json:"sites"`
	Actions     int      `json:"actions"`
	Decisions   uint64   `json:"decisions"`
	Late        uint64   `json:"late"`
	Epsilon     float64  `json:"epsilon"`
	Differ      float64  `json:"differ"` // standard deviation of means between sites; not used with Best
	Best        float64  `json:"best"`   // mean of one action; 0 draws all means
	Others      float64  `json:"others"`
	Networks    int      `json:"networks"`
	Interrupted bool     `json:"interrupted"`
	Rows        []Row    `json:"rows"` // a site that is there from the start, and one that comes late; none if nothing is given
	Answer      []string `json:"answer"`
}

// A Row is about the first decisions of a site. It loses rewards against always taking its best action.
type Row struct {
	Site     string         `json:"site"`
	Alone    stats.Interval `json:"lost_alone"`
	Together stats.Interval `json:"lost_together"`
	Saved    stats.Interval `json:"saved"`                   // paired by network
	Most     [2]float64     `json:"lost_by_95_in_100_sites"` // at most, alone and together
}

// Play plays 8 networks, and then twice as many again and again while seconds last. With ctx done it answers from those before. It writes to progress how
// many are played.
func (d *Document) Play(ctx context.Context, seconds float64, progress io.Writer) error {
	flags := []string{"sites", "actions", "decisions", "late", "sites² × --actions × (--decisions + --late)", "epsilon", "differ", "best", "others"}
	if d.Others > 0 && d.Best == 0 {
		return config.Failf(config.ErrUsage, "--others: %v: want --best with it, the mean reward of the best action", d.Others)
	}
	for i, x := range [][3]float64{ // value, least, most
		{float64(d.Sites), 2, 200},
		{float64(d.Actions), 2, 100},
		{float64(d.Decisions), 1, 500_000},
		{float64(d.Late), 1, 500_000},
		{float64(d.Sites*d.Sites*d.Actions) * float64(d.Decisions+d.Late), 0, 4e8}, // a network takes minutes
		{d.Epsilon, .001, 1000},
		{d.Differ, 0, 1},
		{d.Best, 0, 1},
		{d.Others, 0, d.Best},
	} {
		if !(x[0] >= x[1] && x[0] <= x[2]) { // or NaN
			return config.Failf(config.ErrUsage, "--%s: %v: want %v to %v", flags[i], x[0], x[1], x[2])
		}
	}
	if d.nothing() {
		return nil
	}
	draw := fmt.Sprint("shared world.bernoulli.deviation=", d.Differ)
	if d.Best > 0 {
		draw = fmt.Sprintf("given world.bernoulli.means=[[%v%s]]", d.Best, strings.Repeat(fmt.Sprint(",", d.Others), d.Actions-1))
	}
	late := fmt.Sprintf(`"world.late.sites":1,"world.late.every":%d,"privacy.horizon":%d`, d.Late, d.Late+d.Decisions)
	base := strings.Fields(fmt.Sprintf(`mode=lockstep seed=1 arms=[%s] testnet.nodes=%d testnet.topology=complete world.kind=bernoulli world.bernoulli.draw=%s
		learner.name=personalized protocol.name=phases privacy.epsilon=%v privacy.accept_weak=true privacy.horizon=%d give.sites=%d experiment.figure.kind=none
		experiment.cells=[{"set":{"experiment.alone":true}},{"set":{"privacy.answers":"inside"}},{"set":{"experiment.alone":true,%s}},{"set":{"privacy.answers":"inside",%s}}]`, strings.Join(plan.SiteNames(d.Actions), ","), d.Sites, draw, d.Epsilon, d.Decisions, d.Sites, late, late))
	dir, err := os.MkdirTemp("", "peerd-joining-")
	defer func() { _ = os.RemoveAll(dir) }()
	for n, begin := 8, time.Now(); err == nil && (n == 8 || time.Since(begin).Seconds() < seconds/2); n *= 2 {
		_, _ = fmt.Fprintf(progress, "%d of %d networks are played\n", d.Networks, n)
		c, bad := plan.Schema().Load("", append(base, fmt.Sprint("experiment.seeds=", n)))
		if err = bad; err == nil { // what the folder has is not played again
			err = experiment.Run(ctx, c, experiment.Options{Out: dir, Progress: io.Discard, Show: d.sumUp})
		}
	}
	if d.Interrupted = errors.Is(err, context.Canceled) && d.Networks > 0; d.Interrupted {
		return nil
	}
	return cmp.Or(ctx.Err(), err)
}

// sumUp makes the rows and the sentences.
func (d *Document) sumUp(x *experiment.Document) error {
	later := terminal.Number(d.Late) + " decisions later"
	d.Networks, d.Rows, d.Answer = int(x.Seeds), nil, nil
	for i, site := range [][2]string{{"from the start", "a site"}, {later, "a site that comes " + later}} {
		alone, together := x.Cells[2*i].Owns[i], x.Cells[2*i+1].Owns[i] // of all sites, and then of the late one
		costs := together.ToAlone.More
		saves := stats.Interval{Mean: 0 - costs.Mean, Low: 0 - costs.High, High: 0 - costs.Low}
		d.Rows = append(d.Rows, Row{site[0], alone.Mean, together.Mean, saves, [2]float64{alone.P95.Mean, together.P95.Mean}})
		verb, by := "Joining saves", saves
		if saves.High < 0 {
			verb, by = "Joining costs", costs
		} else if saves.Low <= 0 {
			verb = fmt.Sprintf("Not decided after %d networks: joining saves", d.Networks)
		}
		d.Answer = append(d.Answer, fmt.Sprintf("%s %s %s rewards; alone it loses %.1f in its first %s decisions.", verb, site[1], experiment.MeanText(by), alone.Mean.Mean, terminal.Number(d.Decisions)))
	}
	d.Answer = append(d.Answer, fmt.Sprintf("Simulated: %d networks of %d sites with %d actions that pay 0 or 1 (--differ %v --best %v --others %v). A site gives %.0f decisions or fewer.",
		d.Networks, d.Sites, d.Actions, d.Differ, d.Best, d.Others, min(float64(d.Decisions), bandit.NewGift(d.Actions, d.Sites, 0, 1/d.Epsilon).Most()*float64(d.Actions))), "Intervals are 95 % over seeds: chance in the simulation, and not how well the model fits you. Sites keep all other decisions (privacy.answers: inside).")
	return nil
}

// nothing reports whether nothing is given; then the answer is why, and what would change it.
func (d *Document) nothing() bool {
	given := func(n int, x float64) bool { return bandit.NewGift(d.Actions, n, 0, 1/x).First() > 0 }
	sites, some := bandit.LeastSites(d.Actions, 1/d.Epsilon)
	text := fmt.Sprintf("Joining would not pay yet: %d sites at ε = %v would learn too little from each other, so nothing is given, and joining saves exactly 0. Something is given with ",
		d.Sites, d.Epsilon)
	if some {
		text += terminal.Number(uint64(sites)) + " sites"
	} else { // one reward of each arm is too much
		text += "fewer actions"
	}
	if tenths := sort.Search(101, func(n int) bool { return given(d.Sites, float64(n)/10) }); tenths <= 100 {
		text += fmt.Sprintf(", or with ε = %v", float64(tenths)/10)
	}
	d.Rows, d.Answer = []Row{}, []string{text + "."}
	return sites > d.Sites
}

// Write prints the answer with its table.
func (d *Document) Write(w io.Writer) {
	t := columns.New(w)
	for i, r := range d.Rows {
		if i == 0 {
			t.Printf("SITE\tLOSES ALONE\tLOSES TOGETHER\tJOINING SAVES\t95 %% LOSE AT MOST\n")
		}
		t.Printf("%s\t%s\t%s\t%s\t%.1f alone, %.1f together\n", r.Site, experiment.MeanText(r.Alone), experiment.MeanText(r.Together), experiment.MeanText(r.Saved), r.Most[0], r.Most[1])
	}
	t.End()
	_, _ = fmt.Fprintln(w, strings.Join(d.Answer, "\n"))
}
