package site

import (
	"context"
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// openInside makes the half of the present membership with what is stored.
func (s *Site) openInside() error {
	s.inside = inside{}
	if s.c.Half == nil || s.agent.Idle() {
		return nil
	}
	half, err := s.c.Half(s.life.Life)
	if err != nil || half == nil {
		return err
	}
	s.inside = inside{half: half, learned: newCounts(len(s.c.Arms)), waits: newCounts(len(s.c.Arms))}
	v, err := s.store.Get(store.Inside, nil)
	if err != nil {
		return err
	}
	if v != nil {
		err = form.Decode("half", v, insideVersion, insideVersion, func(v *state.Visitor) {
			v.Part(half.Save, half.Load)
			s.inside.learned.fields(v)
		})
	}
	if err == nil {
		err = s.scan(store.InsideDue, func(_ []byte, c *choice) { s.waitInside(c) })
	}
	half.See(s.agent.Rows())
	return err
}

// waitInside counts a decision of which the half will have the reward.
func (s *Site) waitInside(c *choice) {
	s.inside.waits.add(c)
	s.inside.half.Waits(c.arm)
}

// fell throws the coin of the baseline for a decision that could have it. The coin follows from the id and a secret of this life.
func (s *Site) fell(id string, o *offer) (baseline bandit.Arm, fell bool) {
	rules := &s.c.Rules
	a, ok := o.has(rules.Baseline)
	if !ok || rules.Baseline == "" || rules.Shadow.shadows() {
		return bandit.NoArm, false
	}
	return a, s.life.Seed.Rand("baseline/"+id).Float64() < rules.BaselineShare
}

// gives reports whether a decision is to be given. That follows from the view of the network and from the request, and from no kept
// decision; see docs/proofs/promise.md.
func (s *Site) gives(ask *decision.Ask, o *offer) bool {
	if s.inside.half == nil {
		return s.c.Rules.Shadow != ShadowPropose
	}
	_, fallback := o.has(s.c.Rules.Fallback)
	_, fell := s.fell(ask.ID, o)
	return !ask.Keep && ask.Taken == nil && ask.Named == nil && len(o.excluded) == 0 && !fell && (s.state.Begun || !fallback) && s.agent.Gives()
}

// keep makes the choice of a kept decision. In the shadow of an application it is what is proposed.
func (s *Site) keep(id string, o *offer, c *choice) (chances []float64) {
	turn := bandit.Turn{Round: s.state.Round, Excluded: slices.Concat(o.excluded, o.closed), Features: o.features}
	c.kept, c.source = true, decision.Learned
	if c.arm = s.ruleInside(o); c.arm != bandit.NoArm {
		if c.source = decision.Exposure; !s.state.Begun && s.c.Arms[c.arm] == s.c.Rules.Fallback {
			c.source = decision.Fallback
		}
		chances = s.only(c.arm)
	} else {
		of := s.inside.half.Would(turn, id)
		c.arm, chances = of.Arm(), s.inside.half.Chances(turn, of, id)
	}
	p := plan{baseline: bandit.NoArm, share: s.c.Rules.BaselineShare}
	a, fell := s.fell(id, o)
	if a != bandit.NoArm && c.source != decision.Fallback && (!s.c.Rules.UntilBetter || !betterThan(a, o, s.present, s.inside.half.Bounds())) {
		if p.baseline = a; fell {
			c.source, c.arm = decision.Baseline, a
		}
	}
	p.mix(chances)
	c.chance = chances[c.arm]
	return chances
}

// ruleInside returns the choice of the site's rules for a kept decision, or NoArm.
func (s *Site) ruleInside(o *offer) bandit.Arm {
	rules, arm := &s.c.Rules, bandit.NoArm
	if rules.Shadow.shadows() {
		return arm
	}
	if a, ok := o.has(rules.Fallback); ok && !s.state.Begun {
		return a
	}
	if o.features != nil {
		return arm
	}
	least := rules.MinExposures
	for _, a := range s.present {
		if n := s.inside.learned.Pulls[a] + s.inside.waits.Pulls[a]; o.on(a) && n < least {
			arm, least = a, n
		}
	}
	return arm
}

// settleInside passes some rewards that are due by round t to the half. It is called after the messages of a round, which cannot wait for kept
// decisions.
func (s *Site) settleInside(t protocol.Round) (more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inside.half == nil || s.broken || s.closing || s.store.Scarce() {
		return false, nil
	}
	b, n, x := s.store.Batch(), 0, &s.inside
	for due, err := range s.store.Scan(store.InsideDue, x.from, store.Number(uint64(t)+1)) {
		if err != nil {
			return false, err
		}
		c, err := s.stored(due.Value)
		if err != nil {
			return false, err
		}
		id := string(due.Value)
		if c.kept {
			if !c.again() {
				writeAgain(b, id, &c)
			}
			s.recent.drop(id)
			past := max(s.after(c.expires.Add(s.c.Rules.Keep)), store.ReadNumber(x.past))
			b.Set(store.InsidePast, insideKey(past, id), due.Value)
		}
		if err = s.learn(b, id, &c); err != nil {
			return false, err
		}
		if uint64(t) < s.state.Round { // later decisions are due later, even if the clock goes back
			x.from = append(x.from[:0], due.Key...)
		}
		if n++; n == chunk {
			break
		}
	}
	if n == 0 {
		b.Drop()
		return false, nil
	}
	b.Set(store.Inside, nil, x.bytes())
	s.queue(sending{pending: b.Apply()})
	return n == chunk, nil
}

// learn passes the reward of a decision that waits to the half.
func (s *Site) learn(b *store.Batch, id string, c *choice) error {
	y := c.value
	if !c.rewarded {
		y = bandit.Reward(s.c.Rules.Default)
	}
	once := fmt.Sprint(id, " ", c.expires.UnixNano()) // an id can come again when its decision is forgotten
	changed, err := s.inside.half.Add(once, bandit.Pull{Arm: c.arm, Features: c.features, Reward: s.c.Rules.Range.observed(y)})
	if err != nil {
		return s.broke(err)
	}
	if changed {
		s.log.Warn("own rewards show that what an action pays has changed: what was kept before is forgotten", "action", c.name(s.c.Arms))
	}
	s.inside.learned.add(c)
	s.inside.waits.take(c)
	b.Delete(store.InsideDue, insideKey(c.due, id))
	return nil
}

// learnBefore does so before a decision is forgotten, for which there was no room or time yet.
func (s *Site) learnBefore(b *store.Batch, id string) error {
	if s.inside.half == nil {
		return nil
	}
	c, err := s.stored([]byte(id))
	if err != nil {
		return err
	}
	due, err := s.store.Get(store.InsideDue, insideKey(c.due, id))
	if due == nil || err != nil {
		return err
	}
	err = s.learn(b, id, &c)
	b.Set(store.Inside, nil, s.inside.bytes())
	return err
}

// Inside returns what only the people of the site may see, or nil if the site gives all decisions to its network.
func (s *Site) Inside(context.Context) (*node.Inside, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &s.inside
	if x.half == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	to := &node.Inside{Given: x.learned.Given + x.waits.Given, Kept: x.learned.Kept + x.waits.Kept, Pending: x.waits.Given + x.waits.Kept}
	x.half.Inside(to)
	if s.c.Inputs.Dim() == 0 {
		to.Pulls = slices.Clone(x.learned.Pulls)
		for k, n := range x.waits.Pulls {
			to.Pulls[k] += n
		}
	}
	return to, nil
}
