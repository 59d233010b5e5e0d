package evaluation

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/internal/decisions"
	"peerd.dev/node/decision"
)

// weighed is a decision as estimators take it.
type weighed struct {
	names    []string          // of the actions that could be chosen
	arms     []int             // their numbers in the model of means
	tried    map[int]bool      // as in survey
	features []bandit.Features // of each, as the learner takes them; nil without
	taken    int               // place in names
	proposed int               // place of what the peer proposed, -1 for nothing
	reward   float64
	pscore   float64
	peer     float64 // probability with which the peer would have taken what was taken
}

// surely is a propensity with which no other action was possible, except for rounding.
const surely = 1 - 1e-9

// weighed returns a decision, nil if it is not for estimates, and whether it can be weighted: another action was possible,
// or there was none. Its source does not matter: the propensity of a rule that is certain is 1.
func (f *survey) weighed(r *decisions.Row, o Options) (d *weighed, ok bool) {
	if !(r.PScore > 0) {
		return nil, false
	}
	d = &weighed{names: r.Offered, tried: f.tried, reward: r.Reward, peer: r.PeerPScore, proposed: -1}
	d.pscore = max(r.PScore, decision.LeastPropensity) // an earlier release took less, and no square of a weight is infinite
	if len(d.names) == 0 {
		d.names = o.Actions
	}
	if d.taken = slices.Index(d.names, r.Name); d.taken < 0 { // an action that the network has retired
		d.names, d.taken = append(slices.Clone(d.names), r.Name), len(d.names)
	}
	if r.Proposed != "" {
		d.proposed = slices.Index(d.names, r.Proposed)
	}
	for _, name := range d.names {
		d.arms = append(d.arms, f.arm(name))
	}
	if f.model.features > 0 {
		for _, x := range r.Actions {
			d.features = append(d.features, o.Inputs.Features(r.Context, x))
		}
		if len(d.features) != len(d.names) {
			return nil, false // of an earlier release, which did not keep what was on offer
		}
	}
	return d, d.pscore < surely || len(d.names) == 1
}
