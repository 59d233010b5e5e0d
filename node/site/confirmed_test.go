package site

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/protocol"
)

// TestAnUnseenLifeIsTakenBack: a site draws while no neighbour hears it, and is copied. An older
// folder continues, since no neighbour knows of the site's nodes; it draws the same leaves again,
// and is heard. When the copy is started again it recovers, and none of its unheard nodes are in
// its ledger.
func TestAnUnseenLifeIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, name := range protocols() {
		r := newRig(t, usual(name, OnArrival))
		r.start()
		work := r.work
		deaf := func(is bool) {
			for _, p := range []protocol.Peer{left, right} {
				r.net.peers[p].deaf = is
			}
		}
		work(10)
		r.greet()
		heard := r.s.chain.Next
		older := r.disk.CrashClone(vfs.CrashCloneCfg{})
		confirmed := r.status().Confirmed
		if confirmed == 0 {
			t.Errorf("%s: neighbours that heard of round %d confirmed nothing", name, r.status().Round)
		}
		deaf(true)
		for range 100 {
			if work(1); r.s.chain.Next > heard+2 {
				break
			}
		}
		unheard := r.s.chain.Next - heard
		if unheard == 0 {
			t.Fatalf("%s: nothing was drawn unheard", name)
		}
		r.stop()
		copied := r.disk.CrashClone(vfs.CrashCloneCfg{})

		deaf(false)
		r.disk = older
		r.start()
		if r.s.isBlocked() || r.s.chain.Next != heard {
			t.Fatalf("%s: the older folder has %d records, %d were heard: %s", name, r.s.chain.Next, heard, r.status().BlockedReason)
		}
		work(200)
		books := newBooks(t)
		books.leaves(r.draft(), r.s.tip())
		r.stop()

		r.disk = copied
		r.start()
		if now := r.status().Confirmed; now != confirmed {
			t.Errorf("%s: round %d is confirmed, and was %d before neighbours went deaf", name, now, confirmed)
		}
		r.reopen()
		done, err := r.s.Recover(nil)
		if err != nil || done.Dropped != unheard || done.Had != heard {
			t.Fatalf("%s: %+v, %v; %d records were heard and %d not", name, done, err, heard, unheard)
		}
		r.stop()
		r.start()
		work(5)
		if r.s.isBlocked() {
			t.Fatalf("%s: %s", name, r.status().BlockedReason)
		}
		books.leaves(r.draft(), r.s.tip())
		r.stop()
	}
}

// TestHalfOfTheNeighboursConfirm: a state is confirmed once half of the neighbours remember it,
// and the present state becomes the next candidate.
func TestHalfOfTheNeighboursConfirm(t *testing.T) {
	x := usual(stated, OnArrival)
	x.neighbours = []protocol.Peer{left, right, 3}
	r := newRig(t, x)
	r.open()
	for _, p := range x.neighbours {
		r.s.OnRemembered(p, protocol.Checkpoint{}, true)
	}
	r.again()
	first := r.s.confirmed.kept
	r.rounds(5)
	five := r.s.tip()
	if five.Records == first {
		t.Fatal("nothing was drawn")
	}
	r.s.OnRemembered(left, five, true)
	if r.s.confirmed.kept != first {
		t.Error("one of three neighbours confirmed a state")
	}
	r.rounds(5)
	r.s.OnRemembered(right, five, true)
	if got := r.s.confirmed.kept; got != five.Records {
		t.Errorf("two of three neighbours remember %d records; confirmed are %d", five.Records, got)
	}
	for _, p := range []protocol.Peer{left, right} {
		r.s.OnRemembered(p, r.s.tip(), true)
	}
	if got := r.s.confirmed.kept; got != r.s.chain.Next {
		t.Errorf("two of three neighbours remember %d records; confirmed are %d", r.s.chain.Next, got)
	}
	if x, err := r.s.readConfirmed(); err != nil || x.records != r.s.chain.Next || x.state.Released != r.s.state.Released {
		t.Errorf("stored is a snapshot of %d records, %v", x.records, err)
	}
	r.stop()
}

// TestDoingWithoutGivesUpWhatItTakesBack: a recovery without evidence abandons the leaves that
// were drawn since the confirmed state, which others may have seen.
func TestDoingWithoutGivesUpWhatItTakesBack(t *testing.T) {
	r := newRig(t, usual(stated, OnArrival))
	r.start()
	r.rounds(3)
	r.greet()
	kept := r.s.chain.Next
	r.rounds(200)
	closed, err := r.s.agent.Closed()
	if err != nil {
		t.Fatal(err)
	}
	r.reopen()
	done, err := r.s.Recover([]string{"peer 2"})
	if err != nil || done.Had != kept || done.Claimed != kept+done.Dropped {
		t.Fatalf("%+v, %v; %d records were confirmed", done, err, kept)
	}
	for i, n := range done.Next {
		if n <= closed[i] {
			t.Errorf("stream %d continues with leaf %d, and %d were drawn", i, n, closed[i])
		}
	}
	r.stop()
}
