package site

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
)

// policyNotice says in a sentence what the site adds to its learner, and what a baseline costs by public estimates; "" for nothing.
func (s *Site) policyNotice(b *lastBelief) string {
	rules := &s.c.Rules
	switch rules.Shadow {
	case ShadowPropose:
		if s.inside.half != nil {
			return "the application chooses by a policy of its own (api.shadow: propose), and what it takes is learned from inside the site"
		}
		return "the application chooses by a policy of its own, and nothing is learned from it (api.shadow: propose)"
	case ShadowLearn:
		return "the application chooses by a policy of its own, and what it takes is learned from (api.shadow: learn)"
	case NoShadow:
	}
	if rules.Baseline == "" || s.agent.Idle() || s.c.World != nil {
		return ""
	}
	a, ok := s.arms[rules.Baseline]
	keeps := fmt.Sprintf("%s has %.3g of the decisions (api.baseline)", rules.Baseline, rules.BaselineShare)
	o := offer{places: s.arms}
	switch {
	case s.inside.half != nil: // what it costs follows from exact rewards
		return keeps
	case s.c.Inputs.Dim() > 0:
		return keeps + "; by features there is no estimate of what that costs"
	case !ok:
		return rules.Baseline + ", the baseline, is retired: the learner chooses"
	case o.name(nil, &s.given) != nil:
		return keeps // cannot happen: nothing is named
	case rules.UntilBetter && betterThan(a, &o, s.present, b.bounds):
		return rules.Baseline + ", the baseline, has no share: this site's own releases show a better action"
	}
	best := bandit.NoArm
	for _, k := range s.present {
		if o.on(k) && int(k) < len(b.Samples) && b.Samples[k] > 0 && (best < 0 || b.Means[k] > b.Means[best]) {
			best = k
		}
	}
	switch {
	case best < 0 || b.Samples[a] == 0:
		return keeps + "; what that costs is not known yet"
	case best == a:
		return keeps + "; by today's estimates that costs nothing"
	}
	return fmt.Sprintf("%s; by today's estimates that costs %.3g rewards a decision, as %s is better", keeps, rules.BaselineShare*rules.Range.Width()*(b.Means[best]-b.Means[a]), s.c.Arms[best])
}

// betterThan reports whether bounds show that an arm on offer is better than another.
func betterThan(a bandit.Arm, o *offer, present []bandit.Arm, bounds []bandit.Bound) bool {
	return int(a) < len(bounds) && slices.ContainsFunc(present, func(k bandit.Arm) bool {
		return k != a && bounds[k].Low > bounds[a].High && o.on(k)
	})
}
