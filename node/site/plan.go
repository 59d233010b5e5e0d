package site

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
)

// A plan says who chooses for an offer, and with which probability. It follows from releases, public counts and settings; see
// docs/proofs/policies.md. First the baseline takes its share, then a rule, or actions of which nothing is known. The rest is the
// learner's.
type plan struct {
	source    decision.Source // of the rest: Learned, or of a rule
	rule      bandit.Arm      // what the rule chooses
	baseline  bandit.Arm      // NoArm for none
	share     float64         // of the baseline
	strangers []bandit.Arm    // that share newShare of what the baseline leaves
}

// plan returns the plan for an offer, and takes strangers out of the learner's turn.
func (s *Site) plan(o *offer, turn *bandit.Turn) plan {
	p := plan{source: decision.Learned, rule: bandit.NoArm, baseline: bandit.NoArm}
	shadow := s.c.Rules.Shadow.shadows()
	turn.Excluded = slices.Concat(o.excluded, o.closed)
	if !shadow {
		if p.source, p.rule = s.rule(o); p.source == decision.Fallback {
			return p
		}
		if a, ok := o.has(s.c.Rules.Baseline); ok && s.c.Rules.Baseline != "" && (!s.c.Rules.UntilBetter || !betterThan(a, o, s.present, s.belief.bounds)) {
			p.baseline, p.share = a, s.c.Rules.BaselineShare
		}
	}
	if p.source == decision.Learned {
		p.strangers = s.strangers(o)
		turn.Excluded = append(turn.Excluded, p.strangers...)
	}
	return p
}

// mix turns the probabilities of the rest of a plan into the ones of the whole.
func (p *plan) mix(chances []float64) {
	if len(p.strangers) > 0 {
		for k := range chances {
			chances[k] *= 1 - newShare
		}
		for _, a := range p.strangers {
			chances[a] += newShare / float64(len(p.strangers))
		}
	}
	if p.baseline != bandit.NoArm {
		for k := range chances {
			chances[k] *= 1 - p.share
		}
		chances[p.baseline] += p.share
	}
}

// pick throws the coins of a plan, which follow from a decision's id, and returns what is chosen in place of an arm of the rest.
func (p *plan) pick(rest bandit.Arm, coins node.Seed, id string) (decision.Source, bandit.Arm) {
	if p.baseline == bandit.NoArm && len(p.strangers) == 0 {
		return p.source, rest
	}
	rng := coins.Rand("plan/" + id)
	switch {
	case p.baseline != bandit.NoArm && rng.Float64() < p.share:
		return decision.Baseline, p.baseline
	case len(p.strangers) > 0 && rng.Float64() < newShare:
		return decision.Exposure, p.strangers[rng.IntN(len(p.strangers))]
	}
	return p.source, rest
}

// only returns the probabilities of arms of which one is certain.
func (s *Site) only(a bandit.Arm) []float64 {
	chances := make([]float64, len(s.c.Arms))
	chances[a] = 1
	return chances
}

// turn returns the turn of a decision that is made now.
func (s *Site) turn(o *offer) bandit.Turn {
	turn := bandit.Turn{Round: s.state.Round, Features: o.features}
	if !s.agent.NoisedCounts() {
		turn.Round = max(turn.Round, s.state.Decisions)
	}
	return turn
}

// choose makes the choice of an ask: c's arm, source and probability, and what is logged of it. In the shadow of an application it is what
// is proposed.
func (s *Site) choose(id string, o *offer, e *logRecord, c *choice) (chances []float64) {
	turn := s.turn(o)
	p := s.plan(o, &turn)
	e.turn, e.excluded, e.chosen = turn.Round, turn.Excluded, p.rule
	if p.source == decision.Learned {
		if s.agent.NoisedCounts() {
			s.agent.Reseed(s.coins.Of("choice/" + id))
		}
		e.learner, e.chosen = true, s.agent.Choose(turn).Arm()
		chances = s.agent.Chances(turn, s.coins.Rand("propensity/"+id))
		if !s.knows() {
			p.source = decision.Initial
		}
	} else {
		chances = s.only(p.rule)
	}
	p.mix(chances)
	c.source, c.arm = p.pick(e.chosen, s.coins, id)
	c.chance = chances[c.arm]
	return chances
}
