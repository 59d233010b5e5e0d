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
	thrown    bool            // its coin, by which the decision would be kept; see [Site.fell]
	strangers []bandit.Arm    // that share newShare of what the baseline leaves
}

// plan returns the plan for an offer, and takes strangers out of the learner's turn.
func (g *given) plan(o *offer, turn *bandit.Turn) plan {
	p := plan{source: decision.Learned, rule: bandit.NoArm, baseline: bandit.NoArm}
	shadow := g.c.Rules.Shadow.shadows()
	turn.Excluded = slices.Concat(o.excluded, o.closed)
	if !shadow {
		if p.source, p.rule = g.rule(o); p.source == decision.Fallback {
			return p
		}
		if a, ok := o.has(g.c.Rules.Baseline); ok && g.c.Rules.Baseline != "" && (!g.c.Rules.UntilBetter || !betterThan(a, o, g.present, g.belief.bounds)) {
			p.baseline, p.share, p.thrown = a, g.c.Rules.BaselineShare, g.agent.Keeps()
		}
	}
	if p.source == decision.Learned {
		p.strangers = g.strangers(o)
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
	case p.baseline != bandit.NoArm && !p.thrown && rng.Float64() < p.share:
		return decision.Baseline, p.baseline
	case len(p.strangers) > 0 && rng.Float64() < newShare:
		return decision.Exposure, p.strangers[rng.IntN(len(p.strangers))]
	}
	return p.source, rest
}

// only returns the probabilities of arms of which one is certain.
func (g *given) only(a bandit.Arm) []float64 {
	chances := make([]float64, len(g.c.Arms))
	chances[a] = 1
	return chances
}

// turn returns the turn of a decision that is made now.
func (g *given) turn(o *offer) bandit.Turn {
	turn := bandit.Turn{Round: g.state.Round, Features: o.features}
	if !g.agent.NoisedCounts() {
		turn.Round = max(turn.Round, g.state.Decisions)
	}
	return turn
}

// choose makes the choice of an ask: c's arm, source and probability, and what is logged of it. In the shadow of an application it is what
// is proposed.
func (g *given) choose(id string, o *offer, e *logRecord, c *choice) (chances []float64) {
	turn := g.turn(o)
	p := g.plan(o, &turn)
	e.turn, e.excluded, e.chosen = turn.Round, turn.Excluded, p.rule
	if p.source == decision.Learned {
		if g.agent.NoisedCounts() {
			g.agent.Reseed(g.coins.Of("choice/" + id))
		}
		e.learner, e.chosen = true, g.agent.Choose(turn).Arm()
		chances = g.agent.Chances(turn, g.coins.Rand("propensity/"+id))
		if !g.knows() {
			p.source = decision.Initial
		}
	} else {
		chances = g.only(p.rule)
	}
	p.mix(chances)
	c.source, c.arm = p.pick(e.chosen, g.coins, id)
	c.chance = chances[c.arm]
	return chances
}
