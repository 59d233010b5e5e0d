package site

import (
	"fmt"
	"testing"
	"time"

	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/receipts"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// receipt returns a witness's receipt of the ledger's first records.
func (r *rig) receipt(t *testing.T, witness string, records uint64, at time.Time) receipts.Receipt {
	t.Helper()
	line, err := r.s.store.Get(store.Ledger, store.Number(records-1))
	if err != nil || line == nil {
		t.Fatal(records, err)
	}
	return receipts.Receipt{Checkpoint: protocol.Checkpoint{Records: records, Head: ledger.HashOf(line)}, Time: at.Unix(), Witness: witness, Signature: [64]byte{byte(records)}}
}

// witnessed gives each start of a rig receipts, and returns the newest.
func (r *rig) witnessed() (newest func() *receipts.Kept) {
	var k *receipts.Kept
	r.keepers = func() []Keeper {
		k = receipts.New(r.clock.Now)
		return []Keeper{k}
	}
	return func() *receipts.Kept { return k }
}

// hear is a neighbour's receipt that arrives.
func (r *rig) hear(t *testing.T, k *receipts.Kept, x receipts.Receipt) {
	t.Helper()
	if _, err := k.Add(x); err != nil {
		t.Error(err)
	}
}

// TestReceiptsAreKept with the next step, over a crash: of each witness the newest of each day, for 400 days; never one that is not on
// the ledger, or that says less than one before it.
func TestReceiptsAreKept(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	kept := r.witnessed()
	r.start()
	r.rounds(5)
	now := r.clock.Now()
	got := func(want ...receipts.Receipt) {
		t.Helper()
		all := require.Value(kept().All())(t)
		if len(all) != len(want) {
			t.Fatalf("%d receipts, want %d: %+v", len(all), len(want), all)
		}
		for i := range all {
			if all[i] != want[i] {
				t.Errorf("receipt %d: %+v, want %+v", i, all[i], want[i])
			}
		}
	}
	first := r.receipt(t, "b", 1, now)
	second := r.receipt(t, "b", 2, now.Add(time.Second))
	other := r.receipt(t, "a", 2, now)
	another := second
	another.Head[0]++
	another.Witness = "c"
	longer := second
	longer.Records, longer.Witness = 1<<40, "c"
	later := r.receipt(t, "c", 1, now.Add(time.Hour))
	for _, x := range []receipts.Receipt{first, second, other, another, longer, later} {
		r.hear(t, kept(), x)
	}
	got(other, second) // before they are stored
	r.round()
	r.crash()
	r.start()
	got(other, second)
	for _, x := range []receipts.Receipt{
		r.receipt(t, "b", 1, now.Add(2*time.Second)), // fewer records
		r.receipt(t, "b", 2, now),                    // an older time
	} {
		r.hear(t, kept(), x)
	}
	got(other, second)
	save := func(days int) receipts.Receipt { // after as many days
		t.Helper()
		r.clock.add(time.Duration(days) * 24 * time.Hour)
		next := r.receipt(t, "b", 2, r.clock.Now())
		r.hear(t, kept(), next)
		b := r.s.store.Batch()
		kept().Save(b)
		require.NoError(t, b.Commit())
		return next
	}
	third := save(1)
	got(other, second, third)
	third = save(0) // at the same time
	got(other, second, third)
	fourth := save(receipts.Days - 1)
	got(other, second, third, fourth) // the first day is the oldest that is kept
	got(third, fourth, save(1))
	r.stop()
}

// TestReceiptsSayNothingOfRewards: two histories with other rewards store the same receipts with the same steps, under the same keys.
func TestReceiptsSayNothingOfRewards(t *testing.T) {
	var seen [2]string
	for i := range seen {
		r := newRig(t, usual(stated, AtWindow))
		kept := r.witnessed()
		r.start()
		for k := range 6 {
			id := fmt.Sprint(k)
			r.ask(decision.Ask{ID: id})
			require.Value(r.report(id, float64(i)))(t)
			r.hear(t, kept(), r.receipt(t, "b", 1, r.clock.Now()))
			r.round()
			for e, err := range r.s.store.Scan(store.Receipt, nil, nil) {
				if err != nil {
					t.Fatal(err)
				}
				seen[i] += fmt.Sprintf("%x %x\n", e.Key, e.Value[:8])
			}
		}
		r.stop()
	}
	if seen[0] != seen[1] || seen[0] == "" {
		t.Errorf("rewards of 0:\n%s\nof 1:\n%s", seen[0], seen[1])
	}
}

// TestReceiptsAreThereBesideAStep: while a step is stored, and after the site is closed, when a neighbour can still answer and be asked.
func TestReceiptsAreThereBesideAStep(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	kept := r.witnessed()
	r.start()
	r.rounds(5)
	x := r.receipt(t, "b", 1, r.clock.Now())
	r.hear(t, kept(), x)
	b := r.s.store.Batch()
	kept().Save(b)
	for range 2 { // before and after
		if all, err := kept().All(); err != nil || len(all) != 1 || all[0] != x {
			t.Errorf("%+v, %v", all, err)
		}
		if b != nil {
			require.NoError(t, b.Commit())
			b = nil
		}
	}
	r.stop()
	if why, err := kept().Add(x); why == "" || err != nil {
		t.Errorf("kept after the end: %v", err)
	}
	if all, err := kept().All(); err != nil || all != nil {
		t.Errorf("%+v, %v", all, err)
	}
}
