package daemon

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/api"
)

// byFeatures returns how many numbers the peer's learner learns, if it chooses by features, and the names of features.
func (t *Deployment) byFeatures() (numbers int, names []string) {
	learner := bandit.TraitsOf(t.Spec.Learner)
	if !learner.Contextual {
		return 0, nil
	}
	return learner.Inputs.Dim(), slices.Concat(t.s.Features.Context, t.s.Features.Action)
}

// effects adds to an action what is known of it, if it has only a feature of its own: the mean reward in the middle of the
// context, and what each value of a feature adds.
func (t *Deployment) effects(a *api.Arm, arm int, s *node.Status) {
	names, known := t.s.Names(), s.Parameter.Reading
	learner := bandit.TraitsOf(t.Spec.Learner)
	if !names.Own() || known == nil || !learner.Contextual {
		return
	}
	own := make([]float64, learner.Inputs.Action)
	own[arm] = 1
	middle := learner.Inputs.Features(names.Context.Middle(), own)
	units := t.s.API.Range()
	mean, deviation := known.Reward(middle)
	a.Estimate, a.Error = units.Mean(mean), units.Width()*deviation
	for _, x := range names.Context.Steps() {
		e := api.Effect{Feature: x.Feature, Category: x.Category}
		change, deviation := known.Change(middle, learner.Inputs.Features(x.To, own))
		e.Change, e.Error = units.Width()*change, units.Width()*deviation
		a.Effects = append(a.Effects, e)
	}
}
