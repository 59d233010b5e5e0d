// Package evaluation estimates what policies would have paid from the log of one that ran: by inverse propensity scoring
// (IPS), its self-normalized form (SNIPS) and the doubly robust estimator (DR). docs/evaluation.md has the formulas.
//
// It computes with rewards as they were reported. Its results are raw data of people.
package evaluation

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/internal/decisions"
)

// Options describe a log, and what to estimate.
type Options struct {
	Actions []string      // of the network, that any decision could choose unless its row says otherwise
	Inputs  bandit.Inputs // zero without features
	Table   *Table        // a policy to estimate as well; nil for none
	Explore float64       // share of the choices that explore at present
	Window  time.Duration // in which a reward is accepted at present
}

// A Report has the estimates from a log.
type Report struct {
	Decisions   uint64     `json:"decisions"`    // whose windows are over
	Open        uint64     `json:"open"`         // whose windows are not
	Weighted    uint64     `json:"weighted"`     // with a propensity by which they can be weighted
	Unscored    uint64     `json:"unscored"`     // without a propensity
	Ruled       uint64     `json:"ruled"`        // certain by a rule of the site
	Certain     uint64     `json:"certain"`      // certain otherwise: no other action was possible
	KeptCertain uint64     `json:"kept_certain"` // of those that were certain, by a rule or otherwise: not given to the network
	Unreported  uint64     `json:"unreported"`   // which have the default reward
	Late        *Late      `json:"late,omitempty"`
	Application bool       `json:"application"` // the application chose, by a policy of its own
	Estimates   []Estimate `json:"estimates"`   // what ran comes first
	Warnings    []string   `json:"warnings"`
}

// Late describes reports that came after the window, which count as no report.
type Late struct {
	Reports uint64 `json:"reports"`
	Window  string `json:"window"` // with which 90 % of them had counted
}

// An Estimate is of one policy.
type Estimate struct {
	Policy    string    `json:"policy"`
	Decisions uint64    `json:"decisions"`       // to which the policy applies, and that can be weighted
	Support   float64   `json:"support"`         // their share of those to which the policy applies
	Weight    float64   `json:"weight"`          // mean weight: about 1 if all that the policy takes was possible
	Effective float64   `json:"effective"`       // as many decisions of the policy itself are worth as much
	Greatest  float64   `json:"greatest_weight"` // of a decision
	IPS       *Interval `json:"ips"`             // nil if there is no estimate
	SNIPS     *Interval `json:"snips"`
	DR        *Interval `json:"dr"`
	Gain      *Interval `json:"gain"` // by DR, above what ran in the same decisions
	misstated bool      // its weights show that the application did not choose with the propensities that it stated
}

// Format implements [fmt.Formatter]: a report is raw data, and [Report.Print] prints it.
func (Report) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Ran is the name of the policy that ran.
const Ran = "what ran"

// Evaluate estimates from the decisions of a log, which it reads twice.
func Evaluate(log iter.Seq2[decisions.Row, error], o Options) (*Report, error) {
	r := &Report{}
	first, err := r.survey(log, o)
	if err != nil {
		return nil, err
	}
	policies := o.policies(first)
	all := make([]sums, len(policies))
	var ran sums1
	place := 0
	for row, err := range log {
		if err != nil {
			return nil, err
		}
		ran.add(row.Reward)
		d, ok := first.weighed(&row, o)
		if !ok {
			for i := range policies {
				if d != nil && policies[i].applies(d) {
					all[i].left++
				}
			}
			continue
		}
		q := first.model.without(place % folds)
		place++
		for i := range policies {
			if p, ok := policies[i].of(d); ok {
				all[i].add(d, p, q)
			}
		}
	}
	mean := ran.interval(normal)
	r.Estimates = append(r.Estimates, Estimate{
		Policy: Ran, Decisions: r.Decisions, Support: 1, Weight: 1, Effective: float64(r.Decisions), Greatest: 1, IPS: mean, SNIPS: mean, DR: mean,
	})
	wrong := r.Application && slices.ContainsFunc(all, sums.tooHeavy)
	for i := range policies {
		if e := all[i].estimate(policies[i].name, r.Application, wrong); e.Decisions > 0 || all[i].left > 0 {
			r.Estimates = append(r.Estimates, e)
		}
	}
	r.warn(o, first)
	return r, nil
}
