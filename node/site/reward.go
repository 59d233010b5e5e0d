package site

import (
	"context"
	"fmt"

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
	if !(r.Value >= 0 && r.Value <= 1) {
		return decision.Receipt{}, &decision.Refusal{Code: decision.Invalid, Field: "value", Reason: "want a number from 0 to 1"}
	}
	c, ok, err := x.find(r.ID)
	switch {
	case err != nil:
		return decision.Receipt{}, err
	case !ok:
		return decision.Receipt{}, &decision.Refusal{Code: decision.Unknown, Field: "id", Reason: "no decision of this peer has this id, or it is forgotten by now"}
	case c.rewarded:
		x.wait = true
		if c.value != r.Value {
			return decision.Receipt{}, &decision.Refusal{Code: decision.Conflict, Field: "value", Reason: "another value was reported before and stands"}
		}
		return decision.Receipt{ID: r.ID, Duplicate: true, Counted: c.learned()}, nil
	}
	waits, err := x.waits(r.ID, &c)
	switch {
	case err != nil:
		return decision.Receipt{}, err
	case !waits || x.now.After(c.expires):
		return decision.Receipt{}, &decision.Refusal{
			Code: decision.Expired, Field: "id",
			Reason: fmt.Sprintf("the window of this decision ended at %s; it counts as the default reward", c.expires.Format("2006-01-02T15:04:05Z07:00")),
		}
	}
	c.rewarded, c.value = true, r.Value+0 // there is one zero
	if x.site.c.Rules.Settle == OnArrival {
		x.batch.Delete(store.Due, dueKey(c.due, c.step))
		c.due = min(c.due, x.site.after(x.now))
		x.batch.Set(store.Due, dueKey(c.due, c.step), []byte(r.ID))
	}
	room := x.keep(r.ID, &c)
	x.batch.Reserve(-room)
	x.fill += room
	return decision.Receipt{ID: r.ID, Counted: c.learned()}, nil
}

// waits reports whether a decision waits for its reward. A clock that went back does not reopen a
// window: what was observed stays observed.
func (x *tx) waits(id string, c *choice) (bool, error) {
	if _, kept := x.site.recent.of[id]; kept {
		return true, nil
	}
	due, err := x.site.store.Get(store.Due, dueKey(c.due, c.step))
	return due != nil, err
}
