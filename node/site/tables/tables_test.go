package tables

import (
	"errors"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// A fake is a site whose odds are others at each look.
type fake struct {
	store *store.Store
	now   time.Time
	looks uint64
}

func (*fake) NoTable() error                          { return nil }
func (*fake) Arms() []string                          { return []string{"red", "green"} }
func (*fake) Present() []bandit.Arm                   { return []bandit.Arm{0, 1} }
func (*fake) Coins() node.Seed                        { return node.NewSeed(1) }
func (*fake) Noised() bool                            { return false }
func (*fake) Decides() bool                           { return true }
func (*fake) Group(time.Duration) (uint64, time.Time) { return 0, time.Time{} }
func (f *fake) Look(do func(now time.Time)) error     { do(f.now); return nil }
func (f *fake) Odds(int) ([]bandit.Arm, []float64, decision.Model) {
	f.looks++
	return []bandit.Arm{0, 1}, []float64{float64(f.looks) / MostWeight, 1. / MostWeight}, decision.Model{}
}

func (f *fake) Durably(do func(b *store.Batch, now time.Time) error) error {
	f.now = f.now.Add(every)
	b := f.store.Batch()
	return errors.Join(do(b, f.now), b.Commit())
}

// TestTheOldestTablesAreForgotten: a thousand are kept, over restarts, and the report of another one is refused.
func TestTheOldestTablesAreForgotten(t *testing.T) {
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	f := &fake{store: st, now: time.Now()}
	tables, first := New(f), ""
	for range most + 5 {
		f.now = f.now.Add(every)
		table, wrong := tables.Newest()
		if wrong != nil {
			t.Fatal(wrong)
		}
		if first == "" {
			first = table.Version
		}
	}
	tables = New(f)
	if err = tables.Open(st); err != nil || len(tables.Versions()) != most {
		t.Errorf("%d are kept (%v)", len(tables.Versions()), err)
	}
	_, err = tables.Draw(&decision.Ask{ID: "a", Table: first})
	if r, ok := errors.AsType[*decision.Refusal](err); !ok || r.Code != decision.Expired {
		t.Error(err)
	}
	if l, err := tables.Draw(&decision.Ask{ID: "a", Table: tables.Versions()[0]}); err != nil || l.Chance == 0 {
		t.Errorf("%+v (%v)", l, err)
	}
}
