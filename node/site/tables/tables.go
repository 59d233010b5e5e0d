// Package tables has what an application draws actions from while its peer is down, and repeats the draws that it reports.
package tables

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

const (
	every    = 10 * time.Second // at most one new table in this time
	most     = 1000             // that are kept
	samples  = 1 << 12          // of a table's weights, with a learner that samples and up to a hundred arms
	fewest   = 1 << 8
	encoding = 1 // version of a table in the store
)

// A Source is a site. Tables call all except the last two with the site locked.
type Source interface {
	NoTable() error                                             // why the site makes no tables, or nil
	Arms() []string                                             // by place
	Present() []bandit.Arm                                      // that can be chosen
	Coins() node.Seed                                           // of this start
	Noised() bool                                               // how many decisions there are is secret
	Decides() bool                                              // for an application, by arms of its own
	Group(every time.Duration) (group uint64, begins time.Time) // of rounds, and when the present round began
	Odds(samples int) ([]bandit.Arm, []float64, decision.Model) // what is on offer, and how likely each arm is now
	Look(do func(now time.Time)) error                          // locks the site, unless it is ending
	Durably(do func(b *store.Batch, now time.Time) error) error // locks the site; what is done is durable when it returns
}

// Tables are the newest tables of a site. They are public. Those that were served are stored.
type Tables struct {
	site    Source
	kept    []*table // the oldest first
	next    uint64   // number of the next one
	durable string   // version of the newest one that is known to be durable
	odds    []Weight
	model   decision.Model // of odds
	at      time.Time
	group   uint64 // of rounds, in which odds were made
}

// New returns the tables of a site.
func New(of Source) *Tables { return &Tables{site: of} }

// Open reads the tables that are kept.
func (t *Tables) Open(st *store.Store) error {
	for e, err := range st.Scan(store.Weights, nil, nil) {
		if err != nil {
			return err
		}
		old := &table{number: store.ReadNumber(e.Key), stored: true}
		if err = form.Decode("table", e.Value, encoding, encoding, old.fields); err != nil {
			return err
		}
		t.kept, t.next = append(t.kept, old), old.number+1
	}
	t.renew()
	return nil
}

// Newest returns how likely each action is now, for an application that draws by itself while the peer is down. It is durable when it
// is returned. Only a table that is new is written: callers that may only read ask for it as often as they like.
func (t *Tables) Newest() (Table, error) {
	var known *table
	if err := t.site.Look(func(now time.Time) {
		if n := len(t.kept); n > 0 && !t.stale(now) && t.kept[n-1].Version == t.durable && slices.Equal(t.kept[n-1].Actions, t.odds) {
			known = t.kept[n-1]
		}
	}); err == nil && known != nil {
		return known.Table, nil
	}
	err := t.site.Durably(func(b *store.Batch, now time.Time) error {
		if err := t.site.NoTable(); err != nil {
			return err
		}
		if t.stale(now) {
			t.renewOdds(now)
		}
		known = t.keep()
		t.Save(b)
		return nil
	})
	if r, ok := errors.AsType[*decision.Refusal](err); ok && r.Field != "" {
		err = &decision.Refusal{Code: r.Code, Reason: r.Reason} // of no field: the request has none
	}
	if err != nil {
		return Table{}, err
	}
	_ = t.site.Look(func(time.Time) { t.durable = known.Version })
	return known.Table, nil
}

// Versions returns the versions of the tables that are kept, the oldest first.
func (t *Tables) Versions() (all []string) {
	for _, x := range t.kept {
		all = append(all, x.Version)
	}
	return all
}

// stale reports whether there are no odds, or a request renews them: where numbers of decisions are secret, none does.
func (t *Tables) stale(now time.Time) bool {
	age := now.Sub(t.at)
	return t.odds == nil || !t.site.Noised() && (age < 0 || age >= every)
}

// keep returns the table that says what the odds are, a new one unless the newest does.
func (t *Tables) keep() *table {
	if n := len(t.kept); n > 0 && slices.Equal(t.kept[n-1].Actions, t.odds) {
		return t.kept[n-1]
	}
	salt := t.site.Coins().Of("salt/" + t.model.String())
	x := &table{number: t.next, model: t.model, Table: Table{
		Model: t.model.String(), Salt: hex.EncodeToString(salt[:12]), Actions: t.odds, MadeAt: t.at.UTC(),
	}}
	x.Seal()
	t.kept, t.next = append(t.kept, x), t.next+1
	if len(t.kept) > most {
		t.kept = slices.Delete(t.kept, 0, 1)
	}
	return x
}

// Save stores the newest tables that are not stored, and forgets as many.
func (t *Tables) Save(b *store.Batch) {
	for _, x := range slices.Backward(t.kept) {
		if x.stored {
			return
		}
		x.stored = true
		b.Set(store.Weights, store.Number(x.number), state.Save(encoding, x.fields))
		if x.number >= most {
			b.Delete(store.Weights, store.Number(x.number-most))
		}
	}
}

// renewOdds computes what a table of this moment says.
func (t *Tables) renewOdds(at time.Time) {
	names := t.site.Arms()
	offered, chances, model := t.site.Odds(max(fewest, samples/max(1, len(names)/100)))
	t.odds, t.at, t.model = nil, at.Truncate(time.Millisecond), model
	for _, a := range offered {
		t.odds = append(t.odds, Weight{Name: names[a], Weight: uint64(math.Floor(chances[a] * MostWeight))})
	}
}

// renew makes tables where numbers of decisions are secret: at public moments and whether anyone asks for one or
// not, so that neither a table nor which ones are forgotten shows who asked for one before.
func (t *Tables) renew() {
	if !t.site.Noised() || !t.site.Decides() || t.site.NoTable() != nil {
		return
	}
	if group, begins := t.site.Group(every); t.odds == nil || group != t.group {
		t.group = group
		t.renewOdds(begins)
		t.keep()
	}
}

// Change is called when other actions can be chosen.
func (t *Tables) Change() {
	t.odds = nil
	t.renew()
}

// Round is called at the end of a round, whose batch is b.
func (t *Tables) Round(b *store.Batch) {
	if t.renew(); t.site.Noised() {
		t.Save(b)
	}
}

// Draw repeats the draw of an ask, which may name every action that the network has or had.
func (t *Tables) Draw(ask *decision.Ask) (*decision.Lot, error) {
	for k, names := range [][]string{ask.Exclude, ask.Named} {
		for i, name := range names {
			if name == "" || !slices.Contains(t.site.Arms(), name) {
				field := []string{"exclude", "actions"}[k]
				return nil, &decision.Refusal{Code: decision.Invalid, Field: fmt.Sprintf("%s[%d]", field, i), Reason: fmt.Sprintf("%q is no action of this network; GET /v1/arms lists them", name)}
			}
		}
	}
	i := slices.IndexFunc(t.kept, func(t *table) bool { return t.Version == ask.Table })
	if i < 0 {
		return nil, &decision.Refusal{
			Code: decision.Expired, Field: "table",
			Reason: fmt.Sprintf("this table is not known, or no longer: the newest %d are kept. What was drawn from it cannot be learned from", most),
		}
	}
	may := func(name string) bool {
		return !slices.Contains(ask.Exclude, name) && (ask.Named == nil || slices.Contains(ask.Named, name))
	}
	name, chance := t.kept[i].Draw(ask.ID, may)
	if name == "" {
		return nil, &decision.Refusal{Code: decision.Invalid, Field: "exclude", Reason: "no action of the table is left; leave one"}
	}
	arm := slices.Index(t.site.Arms(), name)
	if arm < 0 {
		return nil, fmt.Errorf("%w: a table has the action %q", form.ErrDamaged, name)
	}
	l := &decision.Lot{Arm: bandit.Arm(arm), Chance: chance, Model: t.kept[i].model}
	for _, a := range t.site.Present() {
		name := t.site.Arms()[a]
		if !may(name) || !slices.ContainsFunc(t.kept[i].Actions, func(w Weight) bool { return w.Name == name }) {
			l.Closed = append(l.Closed, a)
		}
	}
	return l, nil
}

// Same refuses an ask whose decision was made before in another way. The decision is then old, with a name, and was drawn from a table or
// not.
func (t *Tables) Same(ask *decision.Ask, old decision.Lot, name string, drawn bool) error {
	conflict := func(reason string) error {
		return &decision.Refusal{Code: decision.Conflict, Field: "table", Reason: reason}
	}
	l, err := t.Draw(ask)
	switch r, refused := errors.AsType[*decision.Refusal](err); {
	case refused && r.Code == decision.Expired && drawn:
		return nil // the table is forgotten: what it said stands
	case err != nil:
		return err
	case l.Arm != old.Arm:
		return conflict(fmt.Sprintf("the decision of this id was made and is %q, which is not what this table says; report no reward of another action for it", name))
	case drawn && (l.Chance != old.Chance || l.Model != old.Model):
		return conflict("the decision of this id was drawn from another table, or from other actions; take another id")
	}
	return nil
}
