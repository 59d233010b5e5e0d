package site

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/protocol"
)

// stuck is a file system whose syncs wait while it is on.
type stuck struct {
	vfs.FS
	on *atomic.Bool
}

func (f stuck) Create(n string, c vfs.DiskWriteCategory) (vfs.File, error) {
	x, err := f.FS.Create(n, c)
	return stuckFile{x, f.on}, err
}

type stuckFile struct {
	vfs.File
	on *atomic.Bool
}

func (f stuckFile) wait() {
	for f.on.Load() {
		time.Sleep(time.Millisecond)
	}
}

func (f stuckFile) Sync() error { f.wait(); return f.File.Sync() }

func (f stuckFile) SyncData() error { f.wait(); return f.File.SyncData() }

func (f stuckFile) SyncTo(n int64) (bool, error) { f.wait(); return f.File.SyncTo(n) }

// TestOnlyWhatIsDurableIsShown: while a step waits for the disk, neither the status nor the
// ledger shows any of it, since after a crash its noise would differ.
func TestOnlyWhatIsDurableIsShown(t *testing.T) {
	r := newRig(t, usual(averaged, OnArrival))
	var on atomic.Bool
	r.wrap = func(fs vfs.FS) vfs.FS { return stuck{fs, &on} }
	r.start()
	r.pay(r.ask(decision.Ask{}).ID, 1)
	before := r.status()
	r.clock.add(4 * every)
	on.Store(true)
	if err := r.s.Round(5, r.net.step(protocol.Round(5))); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for range r.s.Ledger(t.Context(), 0, 100) {
		shown++
	}
	st := r.status()
	if uint64(shown) != before.Records || st.Released != before.Released || st.Records != before.Records || st.Means[0] != before.Means[0] {
		t.Errorf("%d records and %+v, want what there was before the step: %+v", shown, st, before)
	}
	on.Store(false)
	r.pump()
	if st := r.status(); st.Released == before.Released {
		t.Errorf("%d released when the disk is back", st.Released)
	}
}

// TestADecisionIsShownOnceItIsDurable: a choice that a power cut undoes, with the noise on which
// it may rest, is not in the status before it is answered.
func TestADecisionIsShownOnceItIsDurable(t *testing.T) {
	r := newRig(t, usual(averaged, AtWindow))
	var on atomic.Bool
	r.wrap = func(fs vfs.FS) vfs.FS { return stuck{fs, &on} }
	r.start()
	on.Store(true)
	answered := make(chan []decision.Outcome[decision.Decision])
	go func() { answered <- r.decide(decision.Ask{}, decision.Ask{}) }()
	for made := uint64(0); made < 2; {
		r.s.mu.Lock()
		made = r.s.state.Decisions
		r.s.mu.Unlock()
	}
	pulls := func() (n uint64) {
		for _, k := range r.status().Pulls {
			n += k
		}
		return n
	}
	if n, waiting := pulls(), r.status().Pending; n != 0 || waiting != 0 {
		t.Errorf("%d pulls and %d pending before they are durable", n, waiting)
	}
	on.Store(false)
	<-answered
	if n, waiting := pulls(), r.status().Pending; n != 2 || waiting != 2 {
		t.Errorf("%d pulls and %d pending once they are durable, want 2", n, waiting)
	}
	r.stop()
}

// TestAClockThatWasAheadIsSaid: a round that was played too early keeps the site silent until its
// time. Status, readiness and log say so first of all, even if the clock was ahead by two rounds only; less is how
// clocks are kept right.
func TestAClockThatWasAheadIsSaid(t *testing.T) {
	for ahead, said := range map[time.Duration]bool{3 * 365 * 24 * time.Hour: true, 5 * time.Minute: true, 2*every + time.Second: true, every / 2: false} {
		r := newRig(t, usual(stated, AtWindow))
		r.start()
		r.rounds(3)
		if st := r.status(); st.BlockedReason != "" || st.Learning != node.Goes {
			t.Fatal(st.BlockedReason, st.Learning)
		}
		r.clock.add(ahead)
		r.round()
		r.clock.add(-ahead)
		r.reopen() // the neighbours' reason comes later
		r.s.notice()
		r.s.notice()
		st := r.status()
		if got := st.Learning == node.Waits; got != said || strings.HasPrefix(st.BlockedReason, "the clock was ahead: round ") != said {
			t.Errorf("%v: %s, held back for %q", ahead, st.Learning, st.BlockedReason)
		}
		if err := r.s.Ready(t.Context()); said && (err == nil || err.Error() != st.BlockedReason) {
			t.Errorf("%v: ready: %v", ahead, err)
		}
		if n := strings.Count(r.logs.String(), "the clock was ahead"); n > 1 || (n == 1) != said {
			t.Errorf("%v: %d lines say it", ahead, n)
		}
		r.ask(decision.Ask{}) // decisions continue
		r.stop()
	}
}

// TestAClockSetForwardWhileRunning: rounds follow the time that has passed.
func TestAClockSetForwardWhileRunning(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	r.start()
	r.s.began = time.Now()
	wall := time.Now().Add(time.Hour).Round(0) // without a monotonic reading
	if got := r.s.sane(wall); got != wall {
		t.Errorf("a time of unknown origin became %v", got)
	}
	now := time.Now()
	if got := r.s.sane(now); got != now {
		t.Errorf("%v became %v", now, got)
	}
}

// TestChangedSettingsAreNamed: a folder keeps the settings with which it was begun.
func TestChangedSettingsAreNamed(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	r.pinned = []Pinned{{Key: "arms", Value: "[red, green, blue]"}, {Key: "privacy.epsilon", Value: "1"}}
	r.start()
	r.rounds(2)
	r.stop()
	r.pinned = []Pinned{{Key: "arms", Value: "[green, red, blue]"}, {Key: "privacy.epsilon", Value: "1"}}
	_, err := Open(r.config())
	var changed *ChangedError
	if !errors.As(err, &changed) || changed.Key != "arms" || !strings.Contains(err.Error(), "[red, green, blue]") {
		t.Fatalf("got %v", err)
	}
	r.pinned = []Pinned{{Key: "arms", Value: "[red, green, blue]"}, {Key: "privacy.epsilon", Value: "1"}, {Key: "world.replay.cap", Value: "2"}}
	if _, err = Open(r.config()); !errors.As(err, &changed) || !strings.Contains(err.Error(), "world.replay.cap is 2, but this folder was begun without it: ") {
		t.Fatalf("got %v", err)
	}
	r.pinned = r.pinned[:2]
	r.start()
	r.rounds(2)
}

// TestCheckpointsBelongToPeersNotPlaces: a new peer in a place of the network does not inherit
// what was remembered of the peer before it.
func TestCheckpointsBelongToPeersNotPlaces(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	r.start()
	r.s.OnCheckpoint(right, "", protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: 7, Head: [32]byte{1}}})
	r.rounds(1)
	r.stop()
	r.open()
	if seen, err := r.s.Checkpoints(); err != nil || seen[right].Records != 7 {
		t.Fatal(seen, err)
	}
	r.s.c.ID = func(p protocol.Peer) string { return "another" }
	if seen, err := r.s.Checkpoints(); err != nil || seen[right].Records != 0 {
		t.Error("another peer is remembered as ", seen[right], err)
	}
	r.stop()
}
