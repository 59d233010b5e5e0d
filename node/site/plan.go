package site

import (
	"cmp"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/protocol"
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

// strangers returns the added arms on offer of which nothing is released, if something is known of another arm
// on offer. It follows from releases alone.
func (g *given) strangers(o *offer) (arms []bandit.Arm) {
	if o.features != nil || g.c.Founding == 0 || g.agent.Keeps() {
		return nil
	}
	b, known := g.agent.Belief(), false
	for _, a := range g.present {
		switch {
		case !o.on(a):
		case b.Known(int(a)):
			known = true
		case g.added(a):
			arms = append(arms, a)
		}
	}
	if !known {
		return nil
	}
	return arms
}

// newShare is the share of decisions that actions of which nothing is known get together.
const newShare = .1

// rule returns the choice of the site's rules, or Learned.
func (g *given) rule(o *offer) (decision.Source, bandit.Arm) {
	if a, ok := o.has(g.c.Rules.Fallback); ok && !g.state.Begun {
		return decision.Fallback, a
	}
	// With noised counts, the action with the fewest decisions would show how many there were.
	// With features, that action follows from earlier users' features, which must not influence
	// the next record. A rule of giving has batches to fill.
	if g.agent.NoisedCounts() || o.features != nil || g.agent.Keeps() {
		return decision.Learned, 0
	}
	if arms := g.lacking(o); len(arms) > 0 {
		return decision.Exposure, slices.MinFunc(arms, func(a, b bandit.Arm) int { return cmp.Compare(g.state.Pulls[a], g.state.Pulls[b]) })
	}
	return decision.Learned, 0
}

// lacking returns the arms on offer that lack exposures, without arms of which nothing is known.
func (g *given) lacking(o *offer) (arms []bandit.Arm) {
	strangers := g.strangers(o)
	for i, n := range g.state.Pulls {
		if a := bandit.Arm(i); n < g.c.Rules.MinExposures && o.on(a) && slices.Contains(g.present, a) && !slices.Contains(strangers, a) {
			arms = append(arms, a)
		}
	}
	return arms
}

// knows reports whether there is anything from which the learner can choose.
func (g *given) knows() bool {
	b := g.agent.Belief()
	for k := range b.SampleVar {
		if b.Known(k) {
			return true
		}
	}
	return false
}

// take passes a choice to the agent and returns the route of its reward.
func (g *given) take(e *logRecord) (r node.Route) {
	g.state.Decisions, g.state.Pending = g.state.Decisions+1, g.state.Pending+1
	if e.counted {
		r = g.agent.Chose(protocol.Round(g.state.Round), node.Ruled(e.arm))
		g.state.Pulls[e.arm]++
	}
	return r
}

// betterThan reports whether bounds show that an arm on offer is better than another.
func betterThan(a bandit.Arm, o *offer, present []bandit.Arm, bounds []bandit.Bound) bool {
	return int(a) < len(bounds) && slices.ContainsFunc(present, func(k bandit.Arm) bool {
		return k != a && bounds[k].Low > bounds[a].High && o.on(k)
	})
}
