package stats

import (
	"math"

	"peerd.dev/node/lab/sim"
)

// A Run is the part of a simulated run that is kept.
type Run struct {
	Seed     uint64        `json:"seed"`
	Points   []uint64      `json:"points"`              // numbers of rounds
	Regret   []float64     `json:"regret"`              // cumulative, of the average honest peer, after them
	Own      *float64      `json:"own_regret"`          // at the end, against the best arm of each site; null if arms have no means
	OwnCurve []float64     `json:"own_curve,omitempty"` // the same after Points
	Sites    []sim.Site    `json:"sites,omitempty"`     // every honest peer with arms, by peer; none if Own is null
	Messages uint64        `json:"messages"`
	Bytes    uint64        `json:"bytes"`
	Links    uint64        `json:"links"`     // links between peers with arms over which a release went in a round, summed over rounds
	HubLinks uint64        `json:"hub_links"` // the same for links with an idle peer at one end
	Lost     uint64        `json:"lost"`
	Refused  uint64        `json:"refused"`
	Epsilon  float64       `json:"epsilon"` // charged to each peer; -1 for infinity
	Gap      float64       `json:"gap"`     // between the two best arms
	Coverage *sim.Coverage `json:"coverage,omitempty"`
}

// NewRun returns the part of a result that is kept.
func NewRun(seed uint64, r *sim.Result) Run {
	k := Run{
		Seed: seed, Points: r.Points, Regret: r.Regret, Own: r.OwnRegret, OwnCurve: r.OwnCurve, Sites: r.Sites, Messages: r.Messages, Bytes: r.Bytes, Links: r.Links, HubLinks: r.HubLinks, Lost: r.Lost,
		Refused: r.Refused, Epsilon: r.Spent, Gap: r.Gap, Coverage: r.Coverage,
	}
	if math.IsInf(k.Epsilon, 1) {
		k.Epsilon = -1
	}
	return k
}

// Final returns the regret at the end.
func (r *Run) Final() float64 { return r.Regret[len(r.Regret)-1] }

// Finals returns the regrets at the end of runs, in their order.
func Finals(runs []Run) []float64 {
	all := make([]float64, len(runs))
	for i := range runs {
		all[i] = runs[i].Final()
	}
	return all
}

// Owns returns the final regrets of runs against the best arm of each peer's own site, in their
// order, or nil if arms have no means.
func Owns(runs []Run) []float64 {
	var all []float64
	for i := range runs {
		if runs[i].Own != nil {
			all = append(all, *runs[i].Own)
		}
	}
	return all
}

// Rows returns the points of a cell's runs, by run and round.
func Rows(cell string, runs []Run) []Row {
	var rows []Row
	for i := range runs {
		for k, round := range runs[i].Points {
			row := Row{Cell: cell, Seed: runs[i].Seed, Round: round, Regret: runs[i].Regret[k]}
			if runs[i].OwnCurve != nil {
				row.Own = &runs[i].OwnCurve[k]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Curve returns the mean regret over runs at each of their points, which all runs share.
func Curve(runs []Run) (rounds []uint64, regret []Interval) {
	rounds = runs[0].Points
	column := make([]float64, len(runs))
	for k := range rounds {
		for i := range runs {
			column[i] = runs[i].Regret[k]
		}
		regret = append(regret, MeanOf(column))
	}
	return rounds, regret
}
