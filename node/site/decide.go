package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// Decide answers every ask in order. All answers are durable when it returns.
func (s *Site) Decide(_ context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision] {
	out := make([]decision.Outcome[decision.Decision], len(asks))
	x := tx{site: s}
	if r := x.open(len(asks)); r != nil {
		return refuseAll(out, r)
	}
	for i := range asks {
		c, repeated, err := x.decide(&asks[i])
		if err != nil {
			out[i].Err = err
			continue
		}
		out[i].Value = decision.Decision{
			ID: asks[i].ID, Action: c.name(s.c.Arms), Propensity: c.chance, Source: c.source,
			Counted: s.learns(&c), Uncounted: s.uncounted(&c), Kept: c.kept, Repeated: repeated, ExpiresAt: c.expires, Model: c.model.String(), Proposed: c.proposed,
		}
	}
	if err := x.close(); err != nil {
		return refuseAll(out, err)
	}
	failpoint("decided")
	return out
}

// learns reports whether the peer learns from the reward of a choice, as far as is known when it is made.
func (s *Site) learns(c *choice) bool { return s.inside.half != nil || c.learned() }

// uncounted says why the peer does not learn from the reward of a choice; "" if it does.
func (s *Site) uncounted(c *choice) decision.Uncounted {
	switch {
	case s.learns(c):
		return ""
	case c.late:
		return decision.Ended
	case c.counted:
		return decision.Exploited
	case c.source == decision.Application && s.c.Rules.Shadow == ShadowPropose:
		return decision.Shadowed
	case c.source == decision.Drawn && slices.Contains(s.c.Absent, c.arm):
		return decision.Retired
	case c.subject != [8]byte{}:
		return decision.OfSubject
	}
	return decision.Recovered
}

// refuseAll gives all asks the same answer.
func refuseAll[T any](out []decision.Outcome[T], err error) []decision.Outcome[T] {
	for i := range out {
		out[i] = decision.Outcome[T]{Err: err}
	}
	return out
}

func (x *tx) decide(ask *decision.Ask) (c choice, repeated bool, err error) {
	var o offer
	if err = x.form(ask); err != nil {
		return c, false, err
	}
	if ask.Table != "" {
		o, err = x.offerAll(ask)
	} else {
		o, err = x.offer(ask)
	}
	if err != nil {
		return c, false, err
	}
	var taken bandit.Arm
	if ask.Taken != nil {
		if taken, err = o.taken(ask.Taken); err != nil {
			return c, false, err
		}
	}
	subject, hash := x.site.subject(ask.Subject)
	if ask.ID == "" {
		ask.ID = rand.Text()
	} else if old, ok, ferr := x.find(ask.ID); ferr != nil || ok {
		x.wait = true
		if ferr == nil {
			ferr = x.sameTaken(&old, ask)
		}
		return old, true, x.same(&old, &o, subject, ferr)
	}
	var drawn *lot
	if ask.Table != "" {
		if drawn, err = x.draw(ask); err != nil {
			return c, false, err
		}
	}
	counted := x.site.gives(ask, &o) && (drawn == nil || !slices.Contains(x.site.c.Absent, drawn.arm))
	if counted {
		if counted, err = x.count(ask.Subject, hash); err != nil {
			return c, false, err
		}
	}
	e := logRecord{kind: logChosen, explore: x.site.agent.Explored(), counted: counted}
	c = choice{
		counted: counted, subject: subject, step: x.site.step + 1, model: model{x.site.life.Incarnation, x.site.state.Round, x.site.state.Released},
		expires: x.now.Add(x.site.c.Rules.Window).UTC().Truncate(time.Millisecond), window: x.site.c.Rules.Window,
	}
	choose := func() []float64 { return x.site.choose(ask.ID, &o, &e, &c) }
	if x.site.inside.half != nil && !counted {
		if x.site.store.Scarce() {
			return c, false, &decision.Refusal{Code: decision.Full, Reason: fmt.Sprintf("%v. There is room only for decisions that are given to the network; make room, then ask again", x.site.store.Lack())}
		}
		choose = func() []float64 { return x.site.keep(ask.ID, &o, &c) }
	}
	switch {
	case drawn != nil:
		c.source, c.arm, c.chance, c.model, o.closed = decision.Drawn, drawn.arm, drawn.chance, drawn.model, drawn.closed
	case ask.Taken != nil:
		chances := choose()
		c.proposed = o.text(c.arm, x.site.c.Arms)
		c.target = chances[taken]
		c.source, c.arm, c.chance = decision.Application, taken, ask.Taken.Propensity
	default:
		choose()
	}
	if e.arm = c.arm; x.site.c.Rules.Shadow == ShadowPropose {
		e.arm = e.chosen // what was taken is in no step
	}
	if o.features != nil {
		c.features = o.features[c.arm]
	}
	c.action = o.nameOf(c.arm)
	c.due = x.site.after(c.expires)
	if !c.kept {
		c.route = x.site.take(&e)
		c.late = c.route.In && x.site.late(c.route.Stream)
		x.site.step++
		x.made = true
		x.batch.Set(store.Log, store.Number(x.site.step), e.bytes())
		x.batch.Set(store.Due, dueKey(c.due, c.step), []byte(ask.ID))
	}
	if x.site.inside.half != nil {
		x.batch.Set(store.InsideDue, insideKey(c.due, ask.ID), []byte(ask.ID))
		x.site.waitInside(&c)
	}
	x.batch.Reserve(x.write(ask.ID, &c) + lateRoom(ask.ID))
	x.keepOffered(ask, &o)
	return c, false, nil
}

// same refuses an ask whose id is known but whose content differs.
func (x *tx) same(old *choice, o *offer, subject [8]byte, err error) error {
	place, offered := o.place(old, x.site.c.Arms)
	field := "features"
	switch {
	case o.own || o.features == nil && !o.all:
		field = "actions"
	case x.site.c.Names.Own():
		field = "context"
	}
	switch {
	case err != nil:
		return err
	case old.subject != subject:
		return &decision.Refusal{Code: decision.Conflict, Field: "subject", Reason: "the decision of this id was made for another subject; take another id"}
	case !offered:
		return &decision.Refusal{Code: decision.Conflict, Field: field, Reason: fmt.Sprintf("the decision of this id was made and is %q, which is not offered; take another id", old.name(x.site.c.Arms))}
	case o.features != nil && !slices.Equal(o.features[place], old.features):
		return &decision.Refusal{Code: decision.Conflict, Field: field, Reason: "the decision of this id was made with other features; take another id"}
	case slices.Contains(o.excluded, place):
		return &decision.Refusal{Code: decision.Conflict, Field: "exclude", Reason: fmt.Sprintf("the decision of this id was made and is %q; take another id", old.name(x.site.c.Arms))}
	}
	return nil
}

// subject returns what is stored of a subject, without its name.
func (s *Site) subject(name string) (short [8]byte, hash [sha256.Size]byte) {
	if name == "" {
		return short, hash
	}
	hash = sha256.Sum256(append(s.life.Salt[:], name...))
	copy(short[:], hash[:])
	return short, hash
}

// count counts a decision of a subject, and reports whether it is one of those that the budget
// pays for.
func (x *tx) count(name string, hash [sha256.Size]byte) (bool, error) {
	if name == "" {
		return true, nil
	}
	n, ok := x.known[hash]
	if !ok {
		v, err := x.site.store.Get(store.Subject, hash[:])
		if err != nil {
			return false, err
		}
		if v != nil {
			n = binary.BigEndian.Uint64(v)
		}
	}
	if n >= x.site.c.Rules.PerSubject {
		return false, nil
	}
	if x.known == nil {
		x.known = make(map[[sha256.Size]byte]uint64)
	}
	x.known[hash] = n + 1
	x.batch.Set(store.Subject, hash[:], store.Number(n+1))
	return true, nil
}

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

// after returns the first round that ends after a time and has not ended yet.
func (s *Site) after(t time.Time) uint64 {
	return max(s.roundAt(t)+1, s.state.Round, store.ReadNumber(s.dueFrom), store.ReadNumber(s.oldFrom))
}

// roundAt returns the round that a time is in.
func (s *Site) roundAt(t time.Time) uint64 {
	return uint64(max(0, t.Sub(s.c.Clock.Start)) / s.c.Clock.Every)
}
