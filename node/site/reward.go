package site

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// Reward answers every report in order. All answers are durable when it returns.
func (s *Site) Reward(_ context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt] {
	out := make([]decision.Outcome[decision.Receipt], len(reports))
	x := tx{site: s, reports: true}
	if r := x.open(len(reports)); r != nil {
		return refuseAll(out, r)
	}
	for i := range reports {
		out[i].Value, out[i].Err = x.reward(reports[i])
	}
	if err := x.close(); err != nil {
		return refuseAll(out, err)
	}
	failpoint("rewarded")
	return out
}

func (x *tx) reward(r decision.Report) (decision.Receipt, error) {
	rules := &x.site.c.Rules
	if r := rules.check(&r); r != nil {
		return decision.Receipt{}, r
	}
	c, ok, err := x.find(r.ID)
	switch {
	case err != nil:
		return decision.Receipt{}, err
	case !ok:
		return decision.Receipt{}, &decision.Refusal{Code: decision.Unknown, Field: "id", Reason: "no decision of this peer has this id, or it is forgotten by now"}
	}
	p := x.site.addend(&r)
	has, refusal := c.has(rules.Adding, &r, p)
	if refusal != nil {
		x.wait = true
		return decision.Receipt{}, refusal
	}
	waits, err := x.waits(r.ID, &c)
	open := waits && !x.now.After(c.expires)
	ends := r.End && !c.ended && (rules.Adding != First || !c.rewarded) // the window; with First a value has ended it
	switch {
	case err != nil:
		return decision.Receipt{}, err
	case has && (!ends || !r.Empty && !open):
		x.wait = true
		return decision.Receipt{ID: r.ID, Duplicate: true, Counted: x.site.learns(&c)}, nil
	case c.ended:
		x.wait = true
		return decision.Receipt{}, &decision.Refusal{Code: decision.Expired, Field: "id", Reason: "the application ended the window of this decision, with end; what it reported before stands"}
	case !open:
		if !r.Empty {
			err = x.lose(r.ID, &c)
		}
		if err == nil {
			err = c.over()
		}
		return decision.Receipt{}, err
	case !has && len(c.parts) >= mostParts:
		return decision.Receipt{}, &decision.Refusal{Code: decision.Invalid, Field: "report", Reason: fmt.Sprintf("%d reports of this decision are in its sum, which are as many as one can have; add values up before they are reported", mostParts)}
	case c.again() && x.site.lacks(&c):
		return decision.Receipt{}, &decision.Refusal{Code: decision.Full, Reason: fmt.Sprintf("%v. There is room for the first report of each decision only; make room, then ask again", x.site.store.Lack())}
	}
	if !c.again() {
		x.batch.Reserve(-c.room(r.ID))
	}
	if !has {
		c.add(rules.Adding, p)
	}
	c.ended = c.ended || r.End
	if rules.Settle == OnArrival && (c.ended || rules.Adding == First) {
		x.dueAt(r.ID, &c, min(c.due, x.site.after(x.now)))
	}
	x.fill += x.write(r.ID, &c)
	return decision.Receipt{ID: r.ID, Counted: x.site.learns(&c)}, nil
}

// lacks reports whether there is no room for what a decision needs beyond its own.
func (s *Site) lacks(c *choice) bool { return s.store.Low() || c.kept && s.store.Scarce() }

// dueAt moves the round in which a decision is due.
func (x *tx) dueAt(id string, c *choice, round uint64) {
	if !c.kept {
		x.batch.Delete(store.Due, dueKey(c.due, c.step))
		x.batch.Set(store.Due, dueKey(round, c.step), []byte(id))
	}
	if x.site.inside.half != nil {
		x.batch.Delete(store.InsideDue, insideKey(c.due, id))
		x.batch.Set(store.InsideDue, insideKey(round, id), []byte(id))
	}
	c.due = round
}

// over is the refusal of a report that comes after the window.
func (c *choice) over() error {
	stands := "it counts as the default reward"
	if c.rewarded {
		stands = "what was reported before stands"
	}
	return &decision.Refusal{
		Code: decision.Expired, Field: "id",
		Reason: fmt.Sprintf("the window of this decision ended at %s; %s", c.expires.Format("2006-01-02T15:04:05Z07:00"), stands),
	}
}

// waits reports whether a decision waits for its reward. A clock that went back does not reopen a
// window: what was observed stays observed.
func (x *tx) waits(id string, c *choice) (bool, error) {
	if _, kept := x.site.recent.of[id]; kept {
		return true, nil
	}
	table, key := store.Due, dueKey(c.due, c.step)
	if c.kept {
		table, key = store.InsideDue, insideKey(c.due, id)
	}
	due, err := x.site.store.Get(table, key)
	return due != nil, err
}

// lose notes that a report of a decision is refused as late. A disk with little room takes no notes.
func (x *tx) lose(id string, c *choice) error {
	if x.site.lacks(c) {
		return nil
	}
	if noted, err := x.site.store.Get(store.Late, []byte(id)); noted != nil || err != nil || x.noted[id] {
		return err
	}
	if x.noted == nil {
		x.noted = make(map[string]bool)
	}
	x.noted[id] = true
	by := max(time.Millisecond, x.now.Sub(c.expires))
	x.batch.Set(store.Late, []byte(id), state.Save(lateVersion, func(v *state.Visitor) { millis(v, &by) }))
	x.batch.Reserve(-lateRoom(id))
	x.fill += lateRoom(id)
	return nil
}

// mostParts is the greatest number of reports that make a sum.
const mostParts = 64

// addend returns a report as it is in a sum, without its id.
func (s *Site) addend(r *decision.Report) (p addend) {
	hash := sha256.Sum256(append(append(s.life.Salt[:], "report/"...), r.Part...))
	copy(p.hash[:], hash[:])
	p.value = r.Value
	return p
}
