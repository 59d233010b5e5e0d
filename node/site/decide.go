package site

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
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
		o = offer{places: x.site.arms, all: true} // the decision is made already
	} else if o, err = x.offer(ask); err != nil {
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
	if x.site.c.Rules.Named && ask.Subject == "" {
		return c, false, &decision.Refusal{Code: decision.Invalid, Field: "subject", Reason: "is missing: send an id of the user whom the decision is about, which does not leave the site; or set api.subject: optional, and then nothing is promised to users whom no decision names"}
	}
	var drawn *decision.Lot
	if ask.Table != "" {
		if drawn, err = x.site.tables.Draw(ask); err != nil {
			return c, false, err
		}
	}
	counted := x.site.gives(ask, &o) && (drawn == nil || !slices.Contains(x.site.c.Absent, drawn.Arm))
	if counted {
		if counted, err = x.count(ask.Subject, hash); err != nil {
			return c, false, err
		}
	}
	e := logRecord{kind: logChosen, explore: x.site.agent.Explored(), counted: counted}
	c = choice{
		counted: counted, subject: subject, step: x.site.step + 1, model: x.site.model(),
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
		c.source, c.arm, c.chance, c.model, o.closed = decision.Drawn, drawn.Arm, drawn.Chance, drawn.Model, drawn.Closed
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
		x.site.counts.counted++
		x.site.counts.unnamed++
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
	x.site.counts.counted++
	x.known[hash] = n + 1
	x.batch.Set(store.Subject, hash[:], store.Number(n+1))
	return true, nil
}

// offer returns the offer of an ask.
func (x *tx) offer(ask *decision.Ask) (o offer, err error) {
	shape := x.site.Features()
	if r := shape.Check(ask); r != nil {
		return o, r
	}
	o = offer{own: ask.Actions != nil, places: x.site.arms}
	if o.own {
		o.places = make(map[string]bandit.Arm, len(ask.Actions))
		for i, a := range ask.Actions {
			o.places[a.ID] = x.site.present[i]
		}
	}
	offered := shape.Offered(ask)
	if n := len(offered); n > 0 {
		o.features = make([]bandit.Features, 0, x.site.present[n-1]+1)
	}
	for i, f := range offered {
		for len(o.features) < int(x.site.present[i]) {
			o.features = append(o.features, make(bandit.Features, len(f)))
		}
		o.features = append(o.features, f)
	}
	if o.features == nil || shape.Own != nil {
		if err = o.name(ask.Named, &x.site.given); err != nil {
			return o, err
		}
	} else if ask.Named != nil {
		return o, &decision.Refusal{Code: decision.Invalid, Field: "actions", Reason: "this peer's learner chooses by features: want an object with id and features for each action"}
	}
	return o, o.exclude(ask.Exclude, x.site.c.Arms)
}

// late reports whether records of a stream enter no release any more, since its last leaf is
// closed.
func (s *Site) late(k dp.StreamID) bool {
	left, err := s.agent.Remaining(k)
	return err == nil && left == 0
}
