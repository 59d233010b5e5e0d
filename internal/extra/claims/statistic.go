package claims

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"peerd.dev/node/lab/stats"
)

// A Verdict says what statistics make of a claim.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"
	Fails    Verdict = "does not hold"
	TooClose Verdict = "too close to call"
	StandIn  Verdict = "stand-in"   // judged on other data than the paper's; the claim's Judged says how
	Unjudged Verdict = "not judged" // nothing was played that decides
)

// A Statistic is one number of a claim, with its 95 % interval and what is wanted of it.
type Statistic struct {
	What    string         `json:"what"` // cells
	Value   stats.Interval `json:"value"`
	Text    string         `json:"text"`
	Wanted  string         `json:"wanted"`
	Verdict Verdict        `json:"verdict"`
	Seeds   int            `json:"seeds"`
}

// A Cell is what a statistic is made of.
type Cell struct {
	Name      string
	Runs      []stats.Run
	Shares    []float64 // of rounds in which each site decides
	Hub, Link float64   // cost of a release over a link
	Seconds   float64   // of all runs
}

// rounds returns how many rounds a run of the cell has.
func (c *Cell) rounds() uint64 {
	points := c.Runs[0].Points
	return points[len(points)-1]
}

// value returns a number of a run of a cell.
func (c *Cell) value(of string, r *stats.Run) float64 {
	switch of {
	case "own":
		if r.Own == nil {
			return math.NaN()
		}
		return *r.Own
	case "cost":
		return c.Hub*float64(r.HubLinks) + c.Link*float64(r.Links)
	}
	return r.Final()
}

// paired returns the numbers of cells by cell and seed, of the seeds that all of them have.
func paired(of string, cells []Cell) [][]float64 {
	all, rows := make([][]float64, len(cells)), make(map[uint64][]float64)
	for i := range cells {
		for k := range cells[i].Runs {
			r := &cells[i].Runs[k]
			rows[r.Seed] = append(rows[r.Seed], cells[i].value(of, r))
		}
	}
	for _, seed := range slices.Sorted(maps.Keys(rows)) {
		for i, x := range rows[seed] {
			if len(rows[seed]) == len(cells) {
				all[i] = append(all[i], x)
			}
		}
	}
	return all
}

// fewest is the number of seeds below which nothing is decided.
const fewest = 10

// measure returns the statistics of a part. The kinds are
//
//	falls, rises: paired ratios of consecutive cells, all wanted below or above 1
//	ratio:        the first cell over the second, or of four the first over the second divided by the third over the fourth
//	slope:        of the logarithm on that of By, by seed
//	growth:       the loss in the second half of the rounds over that in the quarter before: 2 if linear, 1 if logarithmic
//	linear:       the share of runs that lose linearly, see [stats.TailsOf]
//	mostly:       in how many of the runs the first cell is below the second, wanted in most
//	agrees:       a mean beside the one that an independent program computed
//	accepts:      whether settings are accepted
//
// Log takes ratios on a logarithmic scale: the geometric mean of the ratios by seed.
func (p *Part) measure(cells []Cell) (all []Statistic) {
	xs := paired(p.Of, cells)
	add := func(what string, value stats.Interval, v Verdict) {
		s := Statistic{What: what, Value: value, Text: text(value), Wanted: p.wanted(len(all)), Verdict: v, Seeds: len(xs[0])}
		if s.Seeds < fewest {
			s.Verdict = TooClose
		}
		all = append(all, s)
	}
	to := func(i, k int) string { return cells[i].Name + " to " + cells[k].Name }
	switch p.Kind {
	case "falls", "rises":
		for i := 1; i < len(cells); i++ {
			r := p.ratio(xs[i], xs[i-1])
			add(to(i, i-1), r, oneSide(r, 1, p.Kind == "falls"))
		}
	case "ratio":
		if len(cells) == 4 {
			r := geometric(xs[0], xs[1], xs[2], xs[3])
			add("("+to(0, 1)+") to ("+to(2, 3)+")", r, p.inside(r))
			break
		}
		r := p.ratio(xs[0], xs[1])
		add(to(0, 1), r, p.inside(r))
	case "slope":
		r := stats.MeanOf(slopes(p.By, xs))
		add(cells[0].Name+" to "+cells[len(cells)-1].Name, r, p.inside(r))
	case "growth":
		for i := range cells {
			r := stats.RatioOf(lost(cells[i].Runs, .5, 1), lost(cells[i].Runs, .25, .5))
			add(cells[i].Name, r, p.inside(r))
		}
	case "linearly":
		for i := range cells {
			n, k := len(cells[i].Runs), stats.TailsOf(cells[i].Runs, cells[i].Shares).Linear
			share := stats.ShareOf(k, n)
			add(cells[i].Name, share, p.share(share))
			all[i].Text = fmt.Sprintf("%d of %d (%.0f to %.0f %%)", k, n, 100*share.Low, 100*share.High)
		}
	case "mostly":
		below, n := 0, 0
		for k := range xs[0] {
			if xs[0][k] != xs[1][k] {
				n++
			}
			if xs[0][k] < xs[1][k] {
				below++
			}
		}
		share := stats.ShareOf(below, max(1, n))
		add(cells[0].Name+" below "+cells[1].Name, share, oneSide(share, .5, false))
		all[0].Text = fmt.Sprintf("in %d of %d (%.0f to %.0f %%)", below, n, 100*share.Low, 100*share.High)
	case "agrees":
		for i := range cells {
			m := stats.MeanOf(xs[i])
			half := (m.High - m.Low) / 2
			value, within := p.Values[i], p.Within[i]
			r := stats.Interval{Mean: m.Mean / value, Low: (m.Mean - half - within) / value, High: (m.Mean + half + within) / value}
			v := Fails
			switch {
			case r.High-r.Low > 2*vague:
				v = TooClose
			case r.Low <= 1 && 1 <= r.High:
				v = Holds
			}
			add(cells[i].Name, m, v)
		}
	}
	return all
}

// vague is the half width of an interval, relative to the value, from which on agreement says nothing.
const vague = .3

// ratio returns the mean of xs divided by the mean of ys, paired.
func (p *Part) ratio(xs, ys []float64) stats.Interval {
	if p.Log {
		return geometric(xs, ys)
	}
	return stats.RatioOf(xs, ys)
}

// geometric returns the geometric mean over seeds of the first list divided by the second, times the fourth divided by the third if there
// are four.
func geometric(xs ...[]float64) stats.Interval {
	logs := make([]float64, len(xs[0]))
	for i, list := range xs {
		sign := []float64{1, -1, -1, 1}[i]
		for k, x := range list {
			logs[k] += sign * math.Log(x)
		}
	}
	m := stats.MeanOf(logs)
	return stats.Interval{Mean: math.Exp(m.Mean), Low: math.Exp(m.Low), High: math.Exp(m.High)}
}

// slopes returns the slope of ln x on ln by, seed by seed.
func slopes(by []float64, xs [][]float64) (all []float64) {
	x, y := make([]float64, len(by)), make([]float64, len(by))
	for k := range xs[0] {
		for i := range by {
			x[i], y[i] = math.Log(by[i]), math.Log(xs[i][k])
		}
		_, slope := stat.LinearRegression(x, y, nil, false)
		all = append(all, slope)
	}
	return all
}

// lost returns, by run, the regret from one share of the rounds to another.
func lost(runs []stats.Run, from, to float64) []float64 {
	all := make([]float64, len(runs))
	for i := range runs {
		r := &runs[i]
		rounds := float64(r.Points[len(r.Points)-1])
		for k, p := range r.Points {
			if k > 0 && float64(p) > from*rounds && float64(r.Points[k-1]) <= from*rounds {
				all[i] -= r.Regret[k-1]
			}
			if float64(p) <= to*rounds && (k+1 == len(r.Points) || float64(r.Points[k+1]) > to*rounds) {
				all[i] += r.Regret[k]
			}
		}
	}
	return all
}

// oneSide judges an interval that is wanted below a bound, or above it.
func oneSide(i stats.Interval, bound float64, below bool) Verdict {
	low, high := i.Low, i.High
	if below {
		low, high, bound = -i.High, -i.Low, -bound
	}
	switch {
	case low > bound:
		return Holds
	case high <= bound:
		return Fails
	}
	return TooClose
}

// inside judges an interval that is wanted from Least to Most.
func (p *Part) inside(i stats.Interval) Verdict {
	v := Holds
	if p.Least != nil {
		v = worse(v, oneSide(i, math.Nextafter(*p.Least, math.Inf(-1)), false))
	}
	if p.Most != nil {
		v = worse(v, oneSide(i, math.Nextafter(*p.Most, math.Inf(1)), true))
	}
	return v
}

// worse returns what two verdicts make together.
func worse(a, b Verdict) Verdict {
	if a == Fails || b == Holds {
		return a
	}
	return b
}

// share judges a share of runs. That none of the runs does something, or all do, is about these runs and exact.
func (p *Part) share(i stats.Interval) Verdict {
	if p.Most != nil && *p.Most == 0 || p.Least != nil && *p.Least == 1 {
		i.Low, i.High = i.Mean, i.Mean
	}
	return p.inside(i)
}

// wanted says what is wanted of statistic i.
func (p *Part) wanted(i int) string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	switch p.Kind {
	case "falls":
		return "below 1"
	case "rises":
		return "above 1"
	case "mostly":
		return "in most"
	case "accepts":
		return "accepted"
	case "agrees":
		return number(p.Values[i]) + " ± " + number(p.Within[i])
	case "linearly":
		switch {
		case p.Most != nil && *p.Most == 0:
			return "no run"
		case p.Least != nil && *p.Least == 1:
			return "all"
		}
	}
	switch {
	case p.Least == nil:
		return "at most " + number(*p.Most)
	case p.Most == nil:
		return "at least " + number(*p.Least)
	}
	return number(*p.Least) + " to " + number(*p.Most)
}

// text writes an interval, and an exact number without ends.
func text(i stats.Interval) string {
	digits := 3
	if math.Abs(i.Mean) >= 10 {
		digits = 1
	}
	if write := strconv.FormatFloat; i.Low < i.High && !math.IsInf(i.High, 0) {
		return fmt.Sprintf("%s (%s to %s)", write(i.Mean, 'f', digits, 64), write(i.Low, 'f', digits, 64), write(i.High, 'f', digits, 64))
	}
	return strconv.FormatFloat(math.Round(1000*i.Mean)/1000, 'f', -1, 64)
}
