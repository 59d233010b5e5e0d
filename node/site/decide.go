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
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// Decide answers every ask in order. All of them are durable when it returns.
func (s *Site) Decide(_ context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision] {
	out := make([]decision.Outcome[decision.Decision], len(asks))
	d := desk{Site: s}
	if r := d.open(); r != nil {
		return refuseAll(out, r)
	}
	for i := range asks {
		c, repeated, err := d.decide(&asks[i])
		if err != nil {
			out[i].Err = err
			continue
		}
		out[i].Value = decision.Decision{
			ID: asks[i].ID, Action: s.c.Arms[c.arm], Propensity: c.chance, Source: c.source,
			Counted: c.counted, Repeated: repeated, ExpiresAt: c.expires,
		}
	}
	if err := d.close(); err != nil {
		return refuseAll(out, err)
	}
	failpoint("decided")
	return out
}

// refuseAll gives one answer to everybody.
func refuseAll[T any](out []decision.Outcome[T], err error) []decision.Outcome[T] {
	for i := range out {
		out[i] = decision.Outcome[T]{Err: err}
	}
	return out
}

// desk is one call's batch of decisions and rewards, with the site locked.
type desk struct {
	*Site
	batch *store.Batch
	now   time.Time
	wait  bool // what is answered may not be durable yet
	ids   map[string]choice
	known map[[sha256.Size]byte]uint64 // decisions of a subject
}

// open locks the site, unless it takes nothing.
func (d *desk) open() error {
	if d.c.World != nil {
		return &decision.Refusal{Code: decision.Simulated, Reason: "this peer plays a simulated world, which pays its own rewards; set world.kind: application to serve one"}
	}
	d.mu.Lock()
	switch {
	case d.closing || d.broken:
		d.mu.Unlock()
		return &decision.Refusal{Code: decision.Unavailable, Reason: "this peer is ending; ask again when it is back"}
	case d.store.Full():
		d.mu.Unlock()
		return &decision.Refusal{Code: decision.Full, Reason: "the disk is full and nothing was stored; make room, then ask again"}
	}
	d.batch, d.now = d.store.Batch(), d.c.Now()
	d.ids = make(map[string]choice, 1)
	return nil
}

// close unlocks the site and waits until what was answered is durable.
func (d *desk) close() error {
	if d.batch.Empty() {
		if !d.wait {
			d.batch.Drop()
			d.mu.Unlock()
			return nil
		}
		d.batch.Set(store.Meta, []byte(againKey), nil) // durable after all that is under way
	}
	if d.step-d.saved >= d.saveEvery { // a slot can be long
		if err := d.snapshot(d.batch); err != nil {
			defer d.mu.Unlock()
			return d.broke(err)
		}
	}
	p := d.batch.Apply()
	d.mu.Unlock()
	return p.Wait()
}

// find returns the decision of an id.
func (d *desk) find(id string) (c choice, ok bool, err error) {
	if c, ok = d.ids[id]; ok {
		return c, true, nil
	}
	v, err := d.store.Get(store.Decision, []byte(id))
	if err != nil || v == nil {
		return c, false, err
	}
	c, err = parseChoice(v, len(d.c.Arms))
	return c, true, err
}

// keep stores a decision.
func (d *desk) keep(id string, c *choice) {
	d.ids[id] = *c
	d.batch.Set(store.Decision, []byte(id), c.bytes())
}

func (d *desk) decide(ask *decision.Ask) (c choice, repeated bool, err error) {
	excluded, err := d.excluded(ask.Exclude)
	if err != nil {
		return c, false, err
	}
	subject, hash := d.subject(ask.Subject)
	if ask.ID == "" {
		ask.ID = rand.Text()
	} else if old, ok, ferr := d.find(ask.ID); ferr != nil || ok {
		d.wait = true
		return old, true, d.same(&old, subject, excluded, ferr)
	}
	counted, err := d.count(ask.Subject, hash)
	if err != nil {
		return c, false, err
	}
	e := entry{kind: entryChosen, counted: counted, turn: max(d.state.Round, d.state.Decisions), excluded: excluded}
	c = choice{counted: counted, subject: subject, chance: 1, expires: d.now.Add(d.c.Rules.Window).UTC().Truncate(time.Millisecond), step: d.step + 1}
	c.source, c.arm = d.rule(excluded)
	if c.source == decision.Learned {
		chosen := d.agent.Choose(bandit.Turn{Round: e.turn, Excluded: excluded})
		c.arm, c.chance = int(chosen.Arm), chosen.Propensity
		e.learner = true
	}
	e.arm = c.arm
	d.take(&e)
	d.step++
	d.batch.Set(store.Log, store.Number(d.step), e.bytes())
	c.due = d.after(c.expires)
	d.batch.Set(store.Due, dueKey(c.due, c.step), []byte(ask.ID))
	d.keep(ask.ID, &c)
	return c, false, nil
}

// same refuses a known id that is asked for in other words.
func (d *desk) same(old *choice, subject [8]byte, excluded []bandit.Arm, err error) error {
	switch {
	case err != nil:
		return err
	case old.subject != subject:
		return &decision.Refusal{Code: decision.Conflict, Field: "subject", Reason: "the decision of this id was made for another subject; take another id"}
	case slices.Contains(excluded, armOf(old.arm)):
		return &decision.Refusal{Code: decision.Conflict, Field: "exclude", Reason: fmt.Sprintf("the decision of this id was made and is %q; take another id", d.c.Arms[old.arm])}
	}
	return nil
}

// excluded returns the arms of names.
func (d *desk) excluded(names []string) ([]bandit.Arm, error) {
	var arms []bandit.Arm
	for i, name := range names {
		a, ok := d.arms[name]
		if !ok {
			return nil, &decision.Refusal{Code: decision.Invalid, Field: fmt.Sprintf("exclude[%d]", i), Reason: fmt.Sprintf("%q is no action of this network; GET /v1/arms lists them", name)}
		}
		if !slices.Contains(arms, armOf(a)) {
			arms = append(arms, armOf(a))
		}
	}
	if len(arms) == len(d.arms) {
		return nil, &decision.Refusal{Code: decision.Invalid, Field: "exclude", Reason: "every action is excluded; leave one"}
	}
	return arms, nil
}

// subject returns what is stored of a subject. Its name is not.
func (s *Site) subject(name string) (short [8]byte, hash [sha256.Size]byte) {
	if name == "" {
		return short, hash
	}
	hash = sha256.Sum256(append(s.life.Salt[:], name...))
	copy(short[:], hash[:])
	return short, hash
}

// count counts a decision of a subject, and reports whether it is one of those that
// the budget pays for.
func (d *desk) count(name string, hash [sha256.Size]byte) (bool, error) {
	if name == "" {
		return true, nil
	}
	n, ok := d.known[hash]
	if !ok {
		v, err := d.store.Get(store.Subject, hash[:])
		if err != nil {
			return false, err
		}
		if v != nil {
			n = binary.BigEndian.Uint64(v)
		}
	}
	if n >= d.c.Rules.PerSubject {
		return false, nil
	}
	if d.known == nil {
		d.known = make(map[[sha256.Size]byte]uint64)
	}
	d.known[hash] = n + 1
	d.batch.Set(store.Subject, hash[:], store.Number(n+1))
	return true, nil
}

// rule returns what the site's rules choose, or leaves it to the learner.
func (s *Site) rule(excluded []bandit.Arm) (decision.Source, int) {
	if a, ok := s.arms[s.c.Rules.Fallback]; ok && !s.state.Begun && !slices.Contains(excluded, armOf(a)) {
		return decision.Fallback, a
	}
	least := -1
	for a, n := range s.state.Pulls {
		if n < s.c.Rules.MinExposures && (least < 0 || n < s.state.Pulls[least]) && !slices.Contains(excluded, armOf(a)) {
			least = a
		}
	}
	if least >= 0 {
		return decision.Exposure, least
	}
	return decision.Learned, 0
}

// take makes a choice the agent's.
func (s *Site) take(e *entry) {
	s.state.Decisions, s.state.Pending = s.state.Decisions+1, s.state.Pending+1
	if e.counted {
		s.agent.Pull(armOf(e.arm))
		s.state.Pulls[e.arm]++
	}
}

// after returns the first round that ends after a time and has not ended yet.
func (s *Site) after(t time.Time) uint64 {
	return max(s.slot(t)+1, s.state.Round, store.ReadNumber(s.dueFrom), store.ReadNumber(s.oldFrom))
}

// slot returns the round under way at a time.
func (s *Site) slot(t time.Time) uint64 {
	return uint64(max(0, t.Sub(s.c.Slots.Start)) / s.c.Slots.Every)
}
