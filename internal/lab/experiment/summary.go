package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
)

// Document is the result of an experiment, over seeds.
type Document struct {
	Seeds      uint64         `json:"seeds"`
	Cells      []CellDocument `json:"cells"`
	Reference  string         `json:"reference"` // the cell that regret_ratio is to: the first
	NotPrivate []string       `json:"not_private"`
	Seconds    float64        `json:"seconds"`
	Out        string         `json:"out"`
}

// CellDocument is the result of a cell. Intervals are of 95 %, over seeds.
type CellDocument struct {
	Cell   string         `json:"cell"`
	Peers  int            `json:"peers"`
	Rounds uint64         `json:"rounds"`
	Gap    float64        `json:"spectral_gap"` // of the network; 1 less is lambda2
	Least  float64        `json:"arm_gap_least"`
	Middle float64        `json:"arm_gap_median"` // between the two best arms, by run
	Regret stats.Interval `json:"regret"`         // of the average honest peer at the end
	// Own is the regret of the average honest peer at the end against the best arm of its own site: what
	// it loses there while all learn the best arm over sites. It is null where arms have no means.
	Own   *stats.Interval `json:"own_regret"`
	Ratio stats.Interval  `json:"regret_ratio"` // of means, to the reference; paired by seed
	// OwnToAlone divides Own by the own regret in the first cell of the experiment with experiment.alone in the same
	// world, paired by seed: below 1 it pays to join. It is null without such a cell.
	OwnToAlone *stats.Interval `json:"own_regret_to_alone,omitempty"`
	// High is the 95th percentile of the own regrets of all honest peers in all runs, and HighToAlone divides
	// it by the one of the cell of OwnToAlone. Their intervals are bootstraps over runs.
	High        *stats.Interval `json:"own_regret_95,omitempty"`
	HighToAlone *stats.Interval `json:"own_regret_95_to_alone,omitempty"`
	// Owns are the own regrets of sites: of all, then of odd and of ordinary ones where the world has both, and then
	// of late ones and founders where it has both. They are missing where arms have no means.
	Owns []OwnDocument `json:"own_regrets,omitempty"`
	// Tails are of Regret by run; if TailsOfOwn, of the own regrets of all sites in all runs, as in
	// [stats.OwnTailsOf]: where sites choose for their own users, and where they are alone and compared to those.
	Tails      stats.Tails     `json:"tails"`
	TailsOfOwn bool            `json:"tails_of_own,omitempty"`
	Bound      *float64        `json:"lower_bound"` // on Regret, asymptotic, mean over runs; null where none is computed
	Messages   float64         `json:"messages_a_peer_and_round"`
	Bytes      float64         `json:"bytes_a_peer_and_round"`
	Links      float64         `json:"links_a_run"`     // over which a release went, round by round, between peers with arms
	HubLinks   float64         `json:"hub_links_a_run"` // those with an idle peer at an end
	Cost       float64         `json:"cost_a_run"`      // of both, by experiment.cost
	Lost       float64         `json:"lost_share"`
	Refused    uint64          `json:"refused"`
	Epsilon    float64         `json:"epsilon_spent"`          // by each peer; -1 for infinity
	Private    bool            `json:"private"`                // never: noise comes from seeds
	Seconds    float64         `json:"seconds"`                // of all runs, added up
	Coverage   *sim.Coverage   `json:"coverage,omitempty"`     // over all runs
	Misses     *stats.Interval `json:"misses_a_run,omitempty"` // of Coverage
	Missed     *stats.Interval `json:"share_of_runs_with_a_miss,omitempty"`
}

func sumUp(c *config.Config, cells []cellRun) *Document {
	d := &Document{Seeds: plan.ExperimentOf(&c.Settings).Seeds, Reference: cells[0].Name, NotPrivate: notPrivate(cells)}
	reference := stats.Finals(cells[0].runs)
	for i := range cells {
		cell := cells[i].sumUp()
		cell.Ratio = stats.RatioOf(stats.Finals(cells[i].runs), reference)
		if alone := aloneOf(&cells[i], cells); alone < 0 {
			cell.Owns = cells[i].owns(nil)
		} else {
			cell.Owns = cells[i].owns(&cells[alone])
			cell.OwnToAlone, cell.HighToAlone = &cell.Owns[0].ToAlone.Mean, &cell.Owns[0].ToAlone.P95
		}
		if cell.Owns != nil {
			cell.High = &cell.Owns[0].P95
		}
		d.Cells = append(d.Cells, cell)
	}
	for i := range cells {
		if !cells[i].selfish() {
			continue
		}
		d.Cells[i].judgeOwn(cells[i].runs)
		if alone := aloneOf(&cells[i], cells); alone >= 0 {
			d.Cells[alone].judgeOwn(cells[alone].runs)
		}
	}
	return d
}

// judgeOwn replaces the tails of runs by the tails of own regrets.
func (d *CellDocument) judgeOwn(runs []stats.Run) {
	d.TailsOfOwn, d.Tails = true, stats.OwnTailsOf(runs, nil)
}

func (r *cellRun) sumUp() CellDocument {
	runs := r.runs
	d := CellDocument{
		Cell: r.Name, Peers: plan.TestnetOf(&r.Settings).Nodes, Rounds: r.RoundCount(), Gap: r.gap, Epsilon: runs[0].Epsilon,
		Regret: stats.MeanOf(stats.Finals(runs)), Seconds: r.seconds,
		Tails: stats.TailsOf(runs, r.shares()),
	}
	if owns := stats.Owns(runs); owns != nil {
		own := stats.MeanOf(owns)
		d.Own = &own
	}
	if r.bound != nil {
		bound := stats.MeanOf(r.bound.at(r.RoundCount())).Mean
		d.Bound = &bound
	}
	var messages, lost, size uint64
	var gaps, misses []float64
	for i := range runs {
		messages += runs[i].Messages
		lost += runs[i].Lost
		size += runs[i].Bytes
		d.Links += float64(runs[i].Links) / float64(len(runs))
		d.HubLinks += float64(runs[i].HubLinks) / float64(len(runs))
		d.Refused += runs[i].Refused
		gaps = append(gaps, runs[i].Gap)
		if v := runs[i].Coverage; v != nil {
			if d.Coverage == nil {
				d.Coverage = new(sim.Coverage)
			}
			d.Coverage.Add(v)
			misses = append(misses, float64(v.Misses))
		}
	}
	if d.Coverage != nil {
		with := 0
		for _, n := range misses {
			if n > 0 {
				with++
			}
		}
		mean, missed := stats.MeanOf(misses), stats.ShareOf(with, len(misses))
		d.Misses, d.Missed = &mean, &missed
	}
	d.Cost = r.cost()
	slices.Sort(gaps)
	d.Least, d.Middle = gaps[0], gaps[len(gaps)/2]
	steps := float64(len(runs)) * float64(r.steps())
	d.Messages, d.Bytes = float64(messages)/steps, float64(size)/steps
	if messages > 0 {
		d.Lost = float64(lost) / float64(messages)
	}
	return d
}

// cost returns the mean cost of the links in a run, as Li and Song count it (eq. 2).
func (r *cellRun) cost() (mean float64) {
	links := plan.ExperimentOf(&r.Settings).Cost
	for i := range r.runs {
		mean += links.Hub*float64(r.runs[i].HubLinks) + links.Link*float64(r.runs[i].Links)
	}
	return mean / float64(len(r.runs))
}

// shares returns in which share of all rounds each site of the cell decides.
func (r *cellRun) shares() []float64 { return plan.Shares(&r.CellConfig) }

// notPrivate returns sentences about the parts of an experiment that are not private.
func notPrivate(cells []cellRun) []string {
	said := []string{"Simulated: noise comes from seeds, so nothing here is private."}
	unclipped, infinite, raw := false, false, false
	for i := range cells {
		s := &cells[i].Settings
		unclipped = unclipped || plan.Unclipped(s)
		infinite = infinite || s.Privacy.Epsilon.Infinite()
		raw = raw || plan.ExperimentOf(s).Raw.String() != ""
	}
	if unclipped {
		said = append(said, "Rewards are not clipped, so no ε holds: a daemon would refuse this world.")
	}
	if infinite {
		said = append(said, "ε = ∞ adds no noise: a daemon would refuse it.")
	}
	if raw {
		said = append(said, "Choices or messages from raw records break ε for a user whose record is replaced: a daemon would refuse them.")
	}
	return said
}

// Write prints the results as a table.
func (d *Document) Write(w io.Writer) {
	t := columns.New(w)
	t.Printf("CELL\tPEERS\tROUNDS\tSPECTRAL GAP\tREGRET OF A PEER\tOWN REGRET\tLOWER BOUND\tRATIO TO %q\tARM GAP\tMESSAGES\tBYTES\tCOST\tε\tSECONDS\n", d.Reference)
	for _, c := range d.Cells {
		epsilon := "∞"
		if c.Epsilon >= 0 {
			epsilon = strconv.FormatFloat(c.Epsilon, 'g', 4, 64)
		}
		bound := "none"
		if c.Bound != nil {
			bound = strconv.FormatFloat(*c.Bound, 'f', 1, 64)
		}
		own := "none"
		if c.Own != nil {
			own = MeanText(*c.Own)
		}
		t.Printf("%s\t%d\t%d\t%.3g\t%s\t%s\t%s\t%s\t%.3g\t%.3g\t%.3g\t%.5g\t%s\t%.1f\n", c.Cell, c.Peers, c.Rounds, c.Gap,
			MeanText(c.Regret), own, bound, timesText(c.Ratio), c.Least, c.Messages, c.Bytes, c.Cost, epsilon, c.Seconds)
	}
	t.End()
	over := "One seed, so no intervals;"
	if d.Seeds > 1 {
		over = fmt.Sprintf("Means over %d seeds with 95 %% intervals, ratios paired by seed; the arm gap is the least over seeds;", d.Seeds)
	}
	_, _ = fmt.Fprintf(w, "%s\nown regret is against the best arm of each peer's own site;\nmessages and bytes are those a peer sends in a round;\nlinks over which releases go in a round make up the cost of a run.\n", over)
	if d.Seeds > 1 {
		d.writeTails(w)
	}
	d.writeOwn(w)
	for _, c := range d.Cells {
		if c.Lost > 0 || c.Refused > 0 {
			_, _ = fmt.Fprintf(w, "%s: %.1f %% of messages lost, %d refused\n", c.Cell, 100*c.Lost, c.Refused)
		}
		if v := c.Coverage; v != nil {
			_, _ = fmt.Fprintf(w, "%s: of %d estimates %d outside of their radius (allowed %.1f), %s a run, some in %s %% of the runs, the last in round %d; greatest error %.4f of a radius\n",
				c.Cell, v.Checked, v.Misses, v.Allowed, MeanText(*c.Misses), percentText(*c.Missed), v.Last, v.Greatest)
			for i, from := 0, 1; i < len(v.Rounds); i, from = i+1, 10*from {
				if r := v.Rounds[i]; r.Broken() && !v.Broken() {
					_, _ = fmt.Fprintf(w, "  of %d in rounds %d to %d, %d (allowed %.1f)\n", r.Checked, from, 10*from-1, r.Misses, r.Allowed)
				}
			}
			if v.Free > 0 {
				_, _ = fmt.Fprintf(w, "  of %d more, for which the formula promises nothing, %d\n", v.Free, v.FreeMisses)
			}
		}
	}
	for _, sentence := range d.NotPrivate {
		_, _ = fmt.Fprintln(w, sentence)
	}
	_, _ = fmt.Fprintf(w, "results  %s  %.1f s\n", d.Out, d.Seconds)
}

// percentText writes a share as a number of per cent with its interval.
func percentText(x stats.Interval) string {
	return intervalText(stats.Interval{Mean: 100 * x.Mean, Low: 100 * x.Low, High: 100 * x.High}, 2)
}

// writeTails prints how the runs of cells spread.
func (d *Document) writeTails(w io.Writer) {
	t := columns.New(w)
	rows := 0
	for _, c := range d.Cells {
		if c.TailsOfOwn {
			continue // see writeOwn
		}
		if rows++; rows == 1 {
			t.Printf("CELL\tMEDIAN\tWORST\tOF SEED\tOVER 5 MEDIANS\tLOSE LINEARLY\tGAP RESOLVED\n")
		}
		x := &c.Tails
		t.Printf("%s\t%.1f\t%.1f\t%d\t%s %%\t%d\t%.2g\n", c.Cell, x.Median, x.Worst, x.Seed,
			percentText(x.Far), x.Linear, x.Resolved)
	}
	if t.End(); rows > 0 {
		_, _ = fmt.Fprintln(w, "A run loses linearly if decisions in its second half, and in its last quarter, cost a quarter of the arm gap each, or the gap resolved if that is more.")
	}
}

// lawful returns an error if the promise of the radii was broken.
func (d *Document) lawful() error {
	for _, c := range d.Cells {
		if v := c.Coverage; v != nil && v.Broken() {
			return fmt.Errorf("cell %q: %d estimates lay outside of their confidence radius, which allows %.1f: coverage in %s/summary.json", c.Cell, v.Misses, v.Allowed, d.Out)
		}
	}
	return nil
}

func timesText(i stats.Interval) string {
	if math.IsNaN(i.Mean) {
		return "none"
	}
	return intervalText(i, 3)
}

// MeanText writes an interval of regrets.
func MeanText(i stats.Interval) string { return intervalText(i, 1) }

// intervalText writes an interval with a number of digits after the point, and without
// ends if it has none.
func intervalText(i stats.Interval, digits int) string {
	if math.IsInf(i.High, 0) {
		return fmt.Sprintf("%.*f", digits, i.Mean)
	}
	return fmt.Sprintf("%.*f (%.*f to %.*f)", digits, i.Mean, digits, i.Low, digits, i.High)
}
