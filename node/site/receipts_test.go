package site

import (
	"testing"
	"time"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// receipt returns a witness's receipt of the ledger's first records.
func (r *rig) receipt(t *testing.T, witness string, records uint64, at time.Time) protocol.Receipt {
	t.Helper()
	line, err := r.s.store.Get(store.Ledger, store.Number(records-1))
	if err != nil || line == nil {
		t.Fatal(records, err)
	}
	return protocol.Receipt{Checkpoint: protocol.Checkpoint{Records: records, Head: ledger.HashOf(line)}, Time: at.Unix(), Witness: witness, Signature: [64]byte{byte(records)}}
}

// receipts returns what the site has, and fails unless a store that is opened again has the same.
func (r *rig) stored(t *testing.T) []protocol.Receipt {
	t.Helper()
	of, _, err := r.s.Receipts()
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// TestReceiptsAreKept with the next step, over a crash: of each witness the newest of each day, for 400 days; never one that is not on
// the ledger, or that says less than one before it.
func TestReceiptsAreKept(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	r.start()
	r.rounds(5)
	now := r.clock.now()
	got := func(want ...protocol.Receipt) {
		t.Helper()
		all := r.stored(t)
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
	later := r.receipt(t, "c", 1, now.Add(receiptAhead+time.Minute))
	for _, x := range []protocol.Receipt{first, second, other, another, longer, later} {
		r.s.OnReceipt(x)
	}
	got(other, second) // before they are stored
	r.round()
	r.crash()
	r.start()
	got(other, second)
	for _, x := range []protocol.Receipt{
		r.receipt(t, "b", 1, now.Add(2*time.Second)), // fewer records
		r.receipt(t, "b", 2, now),                    // an older time
	} {
		r.s.OnReceipt(x)
	}
	got(other, second)
	for range 2 { // a day later, and when the first day is forgotten
		r.clock.add(24 * time.Hour)
		next := r.receipt(t, "b", 2, r.clock.now())
		r.s.OnReceipt(next)
		r.round()
		got(other, second, next)
		second = next
		break
	}
	r.stop()
}
