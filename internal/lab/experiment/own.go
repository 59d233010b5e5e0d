package experiment

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"peerd.dev/bandit"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/lab/stats"
	"peerd.dev/node/lab/world"
)

// An OwnDocument describes what some sites of a cell lose in all runs against the best arm of their own site. Intervals
// of percentiles are bootstraps over runs.
type OwnDocument struct {
	Sites  string         `json:"sites"`  // all; where the world names odd ones, odd or ordinary; where some are late, late or founders
	Number int            `json:"number"` // of sites, in all runs
	Mean   stats.Interval `json:"mean"`
	Median float64        `json:"median"`
	P95    stats.Interval `json:"p95"`
	P99    stats.Interval `json:"p99"`
	Worst  float64        `json:"worst"`
	Seed   uint64         `json:"worst_seed"`
	Linear int            `json:"lose_linearly"` // sites in all runs; see [stats.OwnTailsOf]
	// ToAlone compares with the same sites in the cell of [CellDocument.OwnToAlone]; null without one.
	ToAlone *OwnRatios `json:"to_alone,omitempty"`
}

// OwnRatios are numbers of an [OwnDocument], divided by the numbers of the same sites alone.
type OwnRatios struct {
	Mean   stats.Interval `json:"mean"` // paired by seed
	More   stats.Interval `json:"more"` // rewards lost more than alone, paired by seed; not divided
	P95    stats.Interval `json:"p95"`
	P99    stats.Interval `json:"p99"`
	Worst  *float64       `json:"worst"`               // null where no site loses anything alone
	Linear int            `json:"lose_linearly_alone"` // not divided
}

// Shares of sites that percentiles are about.
const (
	nearlyAll = .95
	almostAll = .99
)

// owns returns what the sites of a cell lose, and the ratios to the cell in which they are alone, nil for none: all sites,
// then odd and ordinary ones if there are both, and then late ones and founders if there are both.
func (r *cellRun) owns(alone *cellRun) []OwnDocument {
	if stats.Owns(r.runs) == nil {
		return nil
	}
	honest := make(map[int]bool)
	for _, s := range r.runs[0].Sites {
		honest[s.Number] = true
	}
	docs := []OwnDocument{r.own("all", alone, func(site int) bool { return honest[site] })}
	apart := func(name, others string, chosen func(site int) bool) {
		in := func(site int) bool { return honest[site] && chosen(site) }
		out := func(site int) bool { return honest[site] && !chosen(site) }
		if first := r.runs[:1]; len(stats.OwnOf(first, in)[0]) > 0 && len(stats.OwnOf(first, out)[0]) > 0 {
			docs = append(docs, r.own(name, alone, in), r.own(others, alone, out))
		}
	}
	odd, founders := r.odd(), r.SitesOf(plan.TestnetOf(&r.Settings).Nodes)-plan.WorldOf(&r.Settings).Late.Sites
	apart("odd", "ordinary", func(site int) bool { return slices.Contains(odd, site) })
	apart("late", "founders", func(site int) bool { return site >= founders })
	return docs
}

// odd returns the numbers of the sites that the world of a cell names as odd.
func (r *cellRun) odd() []int { return world.TraitsOf(plan.WorldParams(&r.Settings)).Odd }

// ownsOfOdd returns the mean own regret of the odd sites in every run, or of all sites where none is odd; nil where there is no own
// regret.
func (r *cellRun) ownsOfOdd() []float64 {
	odd := r.odd()
	if len(odd) == 0 || stats.Owns(r.runs) == nil {
		return stats.Owns(r.runs)
	}
	return stats.MeanOfSites(stats.OwnOf(r.runs, func(site int) bool { return slices.Contains(odd, site) }))
}

// own describes chosen sites, at least one.
func (r *cellRun) own(name string, alone *cellRun, chosen func(site int) bool) OwnDocument {
	xs, tails := stats.OwnOf(r.runs, chosen), stats.OwnTailsOf(r.runs, chosen)
	d := OwnDocument{
		Sites: name, Number: len(slices.Concat(xs...)), Mean: stats.MeanOf(stats.MeanOfSites(xs)), Median: tails.Median,
		P95: stats.QuantileOf(nearlyAll, xs), P99: stats.QuantileOf(almostAll, xs),
		Worst: tails.Worst, Seed: tails.Seed, Linear: tails.Linear,
	}
	if alone == nil {
		return d
	}
	ys, others := stats.OwnOf(alone.runs, chosen), stats.OwnTailsOf(alone.runs, chosen)
	more := stats.MeanOfSites(xs)
	for i, y := range stats.MeanOfSites(ys) {
		more[i] -= y
	}
	d.ToAlone = &OwnRatios{
		More: stats.MeanOf(more),
		Mean: stats.RatioOf(stats.MeanOfSites(xs), stats.MeanOfSites(ys)),
		P95:  stats.QuantileRatioOf(nearlyAll, xs, ys), P99: stats.QuantileRatioOf(almostAll, xs, ys), Linear: others.Linear,
	}
	if others.Worst > 0 {
		worst := d.Worst / others.Worst
		d.ToAlone.Worst = &worst
	}
	return d
}

// aloneOf returns the number of the cell to which [CellDocument.OwnToAlone] compares one, -1 for none.
func aloneOf(r *cellRun, cells []cellRun) int {
	place := func(r *cellRun) string {
		rest := []string{"arms", "seed", "rounds.count", "privacy.horizon", "testnet.nodes", "experiment.seeds", "experiment.instances"}
		return madeOf(&r.CellConfig, slices.Concat(plan.Schema().Under("world"), rest)...)
	}
	if plan.ExperimentOf(&r.Settings).Alone || stats.Owns(r.runs) == nil {
		return -1
	}
	return slices.IndexFunc(cells, func(c cellRun) bool { return plan.ExperimentOf(&c.Settings).Alone && place(&c) == place(r) })
}

// selfish reports whether sites of a cell choose for their own users, so that they are judged by own regret.
func (r *cellRun) selfish() bool {
	return bandit.TraitsOf(r.LearnerParams()).Selfish && stats.Owns(r.runs) != nil
}

// writeOwn prints what sites lose of their own: together and alone where cells have both, and where sites choose for
// their own users.
func (d *Document) writeOwn(w io.Writer) {
	t := columns.New(w)
	rows, ratios := 0, false
	for _, c := range d.Cells {
		if c.OwnToAlone == nil && !c.TailsOfOwn {
			continue
		}
		own := c.Owns
		if len(own) > 1 {
			own = own[1:] // sites apart
		}
		for _, x := range own {
			if rows++; rows == 1 {
				t.Printf("CELL\tSITES\tOWN REGRET\tMEDIAN\t95 %%\t99 %%\tWORST\tLOSE LINEARLY\tMORE THAN ALONE\tMEAN TO ALONE\t95 %%\t99 %%\tWORST\n")
			}
			t.Printf("%s\t%s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%d of %d", c.Cell, x.Sites, MeanText(x.Mean), x.Median, x.P95.Mean, x.P99.Mean, x.Worst, x.Linear, x.Number)
			if a := x.ToAlone; a != nil {
				ratios = true
				worst := "none"
				if a.Worst != nil {
					worst = strconv.FormatFloat(*a.Worst, 'f', 2, 64)
				}
				t.Printf(", alone %d\t%s\t%s\t%.2f\t%.2f\t%s", a.Linear, MeanText(a.More), timesText(a.Mean), a.P95.Mean, a.P99.Mean, worst)
			}
			t.Printf("\n")
		}
	}
	if t.End(); rows == 0 {
		return
	}
	_, _ = fmt.Fprintln(w, `Own regret is of a site; 95 % and 99 % of all sites in all runs lose at most what these columns say. A site loses linearly
if its decisions in the second half, and in the last quarter, cost a quarter of its own arm gap each, or the gap that
they resolve if that is more.`)
	if ratios {
		_, _ = fmt.Fprintln(w, "Ratios are to the same sites in the first cell with experiment.alone in the same world; differences of means, and ratios, are paired by seed;\n"+honest+".")
	}
}
