package claims

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/stats"
)

// A Document is what became of claims.
type Document struct {
	Quick    bool      `json:"quick"`
	Claims   []Judged  `json:"claims"`
	Errata   []Erratum `json:"errata,omitempty"`
	Programs []string  `json:"programs"` // that played the figures
	Out      string    `json:"out"`
	Seconds  float64   `json:"seconds"`
}

// A Judged is a claim with its verdict.
type Judged struct {
	Claim
	Verdict    Verdict     `json:"verdict"`
	There      Verdict     `json:"on_stand_in,omitempty"` // on the data that stand in for the paper's
	Why        string      `json:"why,omitempty"`         // it is not judged
	Statistics []Statistic `json:"statistics"`
	Seeds      int         `json:"seeds"` // fewest behind a statistic
	Size       string      `json:"size"`  // of the instance
	Core       float64     `json:"core_seconds"`
}

// judge measures the parts of a claim. It holds if all parts hold, does not if one is refuted, and is else too close to call: each part
// at 95 %, so that a claim of many parts holds less easily than each of them.
func judge(c *Claim, figures map[string]*played, quick bool) Judged {
	j := Judged{Claim: *c, Verdict: Holds}
	unjudged := func(why string) Judged {
		j.Verdict, j.Why, j.Statistics, j.Core = Unjudged, why, nil, 0
		return j
	}
	if quick && c.Full != "" {
		return unjudged("needs the full form: " + c.Full)
	}
	var sizes []string
	var counted []place
	for i := range c.Parts {
		p := &c.Parts[i]
		var cells []Cell
		for _, at := range p.places {
			f := figures[at.figure]
			if f.why != "" {
				return unjudged(f.why)
			}
			if at.cell == "" {
				j.Statistics = append(j.Statistics, f.accepts(p))
				continue
			}
			x, ok := f.cells[at.cell]
			if !ok {
				return unjudged(fmt.Sprintf("no run of cell %q of %s is stored", at.cell, at.figure))
			}
			if cells = append(cells, x); cells[0].rounds() != x.rounds() {
				return unjudged("the figures have different numbers of rounds in this form")
			}
			if !slices.Contains(counted, at) {
				counted, j.Core = append(counted, at), j.Core+x.Seconds
			}
			if !slices.Contains(sizes, f.size) {
				sizes = append(sizes, f.size)
			}
		}
		if cells != nil {
			j.Statistics = append(j.Statistics, p.measure(cells)...)
		}
	}
	j.Size = strings.Join(sizes, "; ")
	j.decide()
	return j
}

// decide makes one verdict of the verdicts on statistics.
func (j *Judged) decide() {
	for _, s := range j.Statistics {
		if s.Seeds > 0 && (j.Seeds == 0 || s.Seeds < j.Seeds) {
			j.Seeds = s.Seeds
		}
		j.Verdict = worse(j.Verdict, s.Verdict)
	}
	if j.StandIn != "" {
		j.There, j.Verdict = j.Verdict, StandIn
	}
}

// accepts reports whether settings of a part make a configuration.
func (f *played) accepts(p *Part) Statistic {
	s := Statistic{What: strings.Join(p.Set, ", "), Value: stats.Interval{Mean: 1, Low: 1, High: 1}, Text: "accepted", Wanted: p.wanted(0), Verdict: Holds}
	c, err := f.config.Reload(p.Set)
	if err == nil {
		_, err = plan.Cells(c)
	}
	if err != nil {
		s.Value, s.Text, s.Verdict = stats.Interval{}, "refused", Fails
	}
	return s
}
