package site

import (
	"crypto/sha256"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestARestartSendsNothingBeforeNeighboursReport: messages that waited when the site stopped may
// come from an old folder; they are sent once neighbours have reported that it is not old.
func TestARestartSendsNothingBeforeNeighboursReport(t *testing.T) {
	running(t, func(t *testing.T) {
		r := newRig(t, usual(averaged, OnArrival))
		r.start()
		r.work(5)
		if r.outboxed() == 0 {
			t.Fatal("nothing waits to be sent: this shows nothing")
		}
		r.stop()
		again, sent := r.net.again, len(r.net.frames)
		a := wake(r)
		a.pass(time.Hour)
		if r.net.again != again || a.sent() != sent {
			t.Errorf("%d frames are sent again, and %d new ones, before a neighbour has reported", r.net.again-again, a.sent()-sent)
		}
		for _, p := range r.c.Neighbours {
			r.s.OnRemembered(p, r.net.memory(p), true)
		}
		a.pass(5 * every)
		if r.net.again == again {
			t.Error("what waited is not sent after the neighbours have reported")
		}
		a.sleep()
	})
}

// TestASenderIsHeardUpToABound: a round can last a day, so the number of messages from one peer
// in it is bounded, without affecting other peers' messages.
func TestASenderIsHeardUpToABound(t *testing.T) {
	ms, _ := said(t)
	running(t, func(t *testing.T) {
		x := usual(stated, OnArrival)
		x.alone = true // so that the site does not wait
		a := wake(newRig(t, x))
		a.pass(every / 2)
		for range maxHeard + 7 {
			a.net.inbox <- protocol.Delivery{From: left, Message: ms[0]}
		}
		for range 3 {
			a.net.inbox <- protocol.Delivery{From: right, Message: ms[0]}
		}
		synctest.Wait()
		if why, name := a.status().LastErr, a.s.c.Name(a.s.c.ID(left)); !strings.HasPrefix(why, name+" sends more than") {
			t.Errorf("the last fault is %q, which does not name the sender", why)
		}
		a.pass(every)
		if n := a.status().Flooded; n != 7 {
			t.Errorf("%d of %d messages of a peer are dropped, want 7", n, maxHeard+7)
		}
		a.sleep()
	})
}

// TestSubjectsAreSalted: without the folder's salt, anyone who guesses a name could find out from
// a hash whether that user was there.
func TestSubjectsAreSalted(t *testing.T) {
	r := started(t, plain(AtWindow))
	r.ask(decision.Ask{Subject: "mary"})
	bare := sha256.Sum256([]byte("mary"))
	n := 0
	for kv, err := range r.s.store.Scan(store.Subject, nil, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; string(kv.Key) == string(bare[:]) {
			t.Error("a subject is stored as the hash of its name")
		}
	}
	if n != 1 {
		t.Errorf("%d subjects are stored, want 1", n)
	}
	first := r.s.life.Salt
	if other := started(t, plain(AtWindow)); first == other.s.life.Salt || first == [16]byte{} {
		t.Errorf("two folders have the salts %x and %x", first, other.s.life.Salt)
	}
}
