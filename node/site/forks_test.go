package site

import (
	"maps"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/node/decision"
	"peerd.dev/protocol"
)

// TestForksAreKept over a start.
func TestForksAreKept(t *testing.T) {
	r := newRig(t, usual(stated, OnArrival))
	r.start()
	two := []protocol.SignedCheckpoint{{Checkpoint: protocol.Checkpoint{Records: 9, Head: [32]byte{1}}, Signature: [64]byte{2}}, {Checkpoint: protocol.Checkpoint{Records: 9, Head: [32]byte{3}}, Signature: [64]byte{4}}}
	r.s.OnFork(right, two)
	for range 2 {
		if got := r.s.Forks(); !maps.EqualFunc(got, map[protocol.Peer][]protocol.SignedCheckpoint{right: two}, slices.Equal) {
			t.Errorf("%+v", got)
		}
		r.reopen()
	}
	r.stop()
}

// TestALedgerHoldsItsCheckpoints, of every length, and no others; after a recovery it is silent about what a life before it signed.
func TestALedgerHoldsItsCheckpoints(t *testing.T) {
	r := newRig(t, usual(averaged, OnArrival))
	r.start()
	work := func(n int) (all []protocol.Checkpoint) {
		for range n {
			r.pay(r.ask(decision.Ask{}).ID, .5)
			r.round()
			all = append(all, r.s.checkpoint())
		}
		return all
	}
	backup := r.disk.CrashClone(vfs.CrashCloneCfg{})
	lost := work(12)
	for _, c := range lost {
		if !r.s.Holds(right, c) {
			t.Errorf("%v is not held", c)
		}
		if c.Head[0]++; r.s.Holds(right, c) {
			t.Errorf("%v of another ledger is held", c)
		}
	}
	if end := r.s.checkpoint(); end.Records > r.s.MostRecords() || r.s.MostRecords() > 1<<40 {
		t.Errorf("a ledger of %v, and %d records are the most", end, r.s.MostRecords())
	}
	r.stop()
	r.disk = backup
	r.open()
	r.remembered(right)
	if _, err := r.s.Recover(nil); err != nil {
		t.Fatal(err)
	}
	r.reopen()
	r.remembered(left)
	r.remembered(right)
	for _, c := range append(work(5), lost...) {
		if !r.s.Holds(3, c) {
			t.Errorf("%v, which is in the gap to %d or on the ledger, is not held", c, r.s.life.Gap)
		}
		if c.Head[0]++; c.Records > r.s.life.Gap && r.s.Holds(3, c) {
			t.Errorf("%v of another copy of this life is held", c)
		}
	}
	for _, n := range []uint64{1, r.s.life.Taken + 1, r.s.life.Gap} {
		if c := (protocol.Checkpoint{Records: n, Head: [32]byte{7}}); !r.s.Holds(3, c) {
			t.Errorf("%v of the lost life is held against the one after the gap at %d", c, r.s.life.Gap)
		}
	}
	r.stop()
}

// TestMostRecordsIsNoSmallNumber by an overflow.
func TestMostRecordsIsNoSmallNumber(t *testing.T) {
	c := Config{Streams: 1 << 16, Horizon: 1 << 62, Cadence: protocol.Cadence{Rounds: 1}}
	if got := c.mostRecords(); got != 1<<64-1 {
		t.Error(got)
	}
	c.Horizon = 10
	if got := c.mostRecords(); got != recoveries*(1+1<<16+10<<16) {
		t.Error(got)
	}
}
