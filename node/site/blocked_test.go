package site

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/signed"
	"peerd.dev/node/site/standing"
	"peerd.dev/protocol"
)

// awake is a rig in a bubble of time, whose site runs.
type awake struct {
	*rig
	end  context.CancelFunc
	done chan error
	mu   sync.Mutex
	asks int // for the time
}

// wake opens the site and runs it, on the bubble's clock.
func wake(r *rig) *awake {
	r.t.Helper()
	a := &awake{rig: r, done: make(chan error, 1)}
	c := r.config()
	c.Clock.Start = time.Now()
	c.Now = func() time.Time {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.asks++
		return time.Now()
	}
	r.c = c
	s, err := Open(c)
	if err != nil {
		r.t.Fatal(err)
	}
	r.s = s
	a.run()
	return a
}

func (a *awake) run() {
	ctx, end := context.WithCancel(context.Background())
	a.end = end
	s := a.s
	go func() { a.done <- s.Run(ctx, a.net) }()
}

// pass lets time pass.
func (a *awake) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// sleep ends Run and closes the site.
func (a *awake) sleep() {
	a.t.Helper()
	a.end()
	if err := <-a.done; err != nil {
		a.t.Fatal(err)
	}
	a.stop()
}

// asked returns how often the site looked at the clock.
func (a *awake) asked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asks
}

func (a *awake) sent() int {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	return len(a.net.frames)
}

// running tests in a bubble, in this century.
func running(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(epoch()))
		f(t)
	})
}

// TestNothingIsReleasedUntilNeighboursTell: no round ends and nothing is sent, and waiting costs
// nothing, until all neighbours have reported, or until more than half of them have and the grace
// is over. Half of them is not enough.
func TestNothingIsReleasedUntilNeighboursTell(t *testing.T) {
	const other protocol.Peer = 3
	for _, c := range []struct {
		neighbours, tell, late []protocol.Peer
		opens                  bool
	}{
		{[]protocol.Peer{left, right}, []protocol.Peer{left}, []protocol.Peer{right}, true},
		{[]protocol.Peer{left, right}, []protocol.Peer{left}, nil, false},
		{[]protocol.Peer{left, right, other}, []protocol.Peer{left}, nil, false},
		{[]protocol.Peer{left, right, other}, []protocol.Peer{left, other}, nil, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			running(t, func(t *testing.T) {
				x := usual(stated, OnArrival)
				x.neighbours = c.neighbours
				a := wake(newRig(t, x))
				mustBeBlocked := func(when string) {
					t.Helper()
					if st := a.status(); st.Round != 0 || st.Released != 0 || st.BlockedReason == "" || a.sent() > 0 || a.s.Ready(t.Context()) == nil {
						t.Fatalf("%s: %+v, %d frames", when, st, a.sent())
					}
				}
				a.pass(time.Hour)
				mustBeBlocked("nobody told")
				if n := a.asked(); n > 5*3600 {
					t.Errorf("the clock was asked %d times in an hour of waiting", n)
				}
				if d := a.ask(decision.Ask{ID: "a"}); d.Action == "" {
					t.Error("no decision while held")
				}
				for _, p := range c.tell {
					a.s.OnRemembered(p, protocol.Checkpoint{}, true)
				}
				a.pass(standing.Grace - 2*every)
				mustBeBlocked("some told")
				for _, p := range c.late {
					a.s.OnRemembered(p, protocol.Checkpoint{}, true)
				}
				a.pass(5 * every)
				if !c.opens {
					a.pass(time.Hour)
					mustBeBlocked("some told, long ago")
					if why := a.status().BlockedReason; !strings.Contains(why, ": peer 2") || strings.Contains(why, "peer 0") {
						t.Errorf("%s does not name the peer that is waited for", why)
					}
				} else if st := a.status(); st.Round == 0 || st.BlockedReason != "" || a.sent() == 0 || a.s.Ready(t.Context()) != nil {
					t.Errorf("all told: %+v, %d frames", st, a.sent())
				}
				a.sleep()
			})
		})
	}
}

// TestAnAlarmSilences: when a neighbour reports more records than there are, a running site
// raises one alarm and sends nothing more, while decisions continue; the same holds after a
// restart.
func TestAnAlarmSilences(t *testing.T) {
	running(t, func(t *testing.T) {
		a := wake(newRig(t, usual(averaged, OnArrival)))
		a.s.OnRemembered(left, protocol.Checkpoint{}, true)
		a.s.OnRemembered(right, protocol.Checkpoint{}, true)
		for range 5 {
			a.pay(a.ask(decision.Ask{}).ID, .5)
			a.pass(every)
		}
		a.s.OnRemembered(right, protocol.Checkpoint{Records: 1000}, true)
		a.pass(0)
		before := a.sent()
		a.s.OnRemembered(left, protocol.Checkpoint{Records: 2000}, true)
		a.s.OnRemembered(left, protocol.Checkpoint{}, true)
		a.pass(time.Minute)
		if n := a.sent(); n != before {
			t.Errorf("%d frames were sent after the alarm", n-before)
		}
		if len(a.alarms) != 1 {
			t.Fatalf("%d alarms", len(a.alarms))
		}
		if err := <-a.alarms; !errors.Is(err, standing.ErrOldCopy) || !strings.Contains(err.Error(), "peer 2") {
			t.Errorf("alarm: %v", err)
		}
		round := a.status().Round
		for i := range 3 {
			d := a.ask(decision.Ask{ID: fmt.Sprint(i)})
			a.pay(d.ID, .5)
		}
		a.sleep()
		b := wake(a.rig)
		if !b.s.OldCopy() {
			t.Error("the alarm is forgotten with a restart")
		}
		b.s.OnRemembered(left, protocol.Checkpoint{}, true)
		b.s.OnRemembered(right, protocol.Checkpoint{}, true)
		b.pass(time.Minute)
		if st := b.status(); st.Round != round || b.sent() != before || !strings.Contains(st.BlockedReason, "another history") {
			t.Errorf("%+v and %d frames after a restart", st, b.sent()-before)
		}
		if !b.ask(decision.Ask{ID: "2"}).Repeated {
			t.Error("a decision is lost")
		}
		b.sleep()
	})
}

// TestTheClockOfRounds: rounds follow the clock; rounds that pass without this peer are skipped,
// and a clock that goes back repeats none.
func TestTheClockOfRounds(t *testing.T) {
	running(t, func(t *testing.T) {
		x := usual(stated, AtWindow)
		x.alone = true
		r := newRig(t, x)
		a := wake(r)
		a.pass(3*every + every/2)
		if got := a.status().Round; got != 4 {
			t.Errorf("%d rounds in the time of 3.5, want 4: one ends at the beginning of each", got)
		}
		a.sleep()
		time.Sleep(10 * every)
		start := a.c.Clock.Start
		a.c.Clock.Start = start
		s := require.Value(Open(a.c))(t)
		r.s = s
		ctx, end := context.WithCancel(context.Background())
		go func() { a.done <- s.Run(ctx, r.net) }()
		a.pass(every)
		if got := a.status(); got.Round != 15 || got.Skipped != 9 {
			t.Errorf("round %d with %d skipped, want 15 with 9", got.Round, got.Skipped)
		}
		end()
		require.NoError(t, <-a.done)
		// The clock is set back by ten rounds: rounds that were played are not played again.
		now := a.c.Now
		s.c.Now = func() time.Time { return now().Add(-10 * every) }
		ctx, end = context.WithCancel(context.Background())
		go func() { _, _, err := s.gather(ctx, r.net); a.done <- err }()
		a.pass(9 * every)
		select {
		case <-a.done:
			t.Error("a round is played twice")
		default:
		}
		a.pass(every)
		if err := <-a.done; err != nil {
			t.Error(err)
		}
		end()
		r.stop()
	})
}

// TestTheHighestIsBelieved: if several neighbours remember what is missing here, the one that
// remembers most counts, in whatever order their reports come.
func TestTheHighestIsBelieved(t *testing.T) {
	for _, remembered := range [][]uint64{{50, 70}, {70, 50}, {70, 70}} {
		r := newRig(t, usual(stated, OnArrival))
		r.open()
		r.s.OnRemembered(left, protocol.Checkpoint{Records: remembered[0]}, true)
		r.s.OnRemembered(right, protocol.Checkpoint{Records: remembered[1]}, true)
		r.stop()
		r.open()
		a, err := r.s.Recover(nil)
		if err != nil || a.Claimed != 70 || a.Had != 2 {
			t.Errorf("%v: %+v, %v", remembered, a, err)
		}
		r.stop()
		if n := len(r.alarms); n > 1 {
			t.Errorf("%d alarms", n)
		}
	}
}

// lost returns a rig whose disk is a backup from n rounds ago; its neighbours remember these
// rounds.
func lost(t *testing.T, name string, n int) *rig {
	t.Helper()
	r := newRig(t, usual(name, OnArrival))
	r.start()
	work := func(rounds int) {
		for range rounds {
			for range 2 {
				d := r.ask(decision.Ask{})
				r.pay(d.ID, .5)
			}
			r.round()
		}
	}
	work(20)
	r.greet()
	r.stop()
	backup := r.disk.CrashClone(vfs.CrashCloneCfg{})
	r.start()
	work(n)
	if r.s.OldCopy() {
		t.Fatal("behind before the backup was restored")
	}
	r.stop()
	r.disk = backup
	return r
}

// TestRecoverGoesOn: after a restored backup and recover, the site releases again: as a new
// incarnation, with a checkpoint above everything that was remembered, and its neighbours accept
// its messages.
func TestRecoverGoesOn(t *testing.T) {
	for _, name := range withoutRoles() {
		t.Run(name, func(t *testing.T) {
			r := lost(t, name, 10)
			r.start()
			if !r.s.OldCopy() {
				t.Fatal("the backup is not found out")
			}
			if err := <-r.alarms; !errors.Is(err, standing.ErrOldCopy) {
				t.Error(err)
			}
			before, incarnation, checkpoint := len(r.net.frames), r.s.Incarnation(), r.net.memory(left)
			waiting := r.ask(decision.Ask{ID: "made while held"})
			r.round() // does nothing
			if len(r.net.frames) != before {
				t.Fatal("something is sent")
			}
			r.stop()
			r.open()
			a := require.Value(r.s.Recover(nil))(t)
			if a.Claimed != checkpoint.Records || a.Had >= a.Claimed || a.Spent || len(a.Next) != 3 {
				t.Errorf("%+v, and %d records are remembered", a, checkpoint.Records)
			}
			r.stop()
			r.start()
			if r.s.OldCopy() || r.s.isBlocked() {
				t.Fatalf("still held: %s", r.status().BlockedReason)
			}
			if r.s.Incarnation() <= incarnation || r.s.tip().Records <= checkpoint.Records {
				t.Errorf("incarnation %d after %d, %d records after %d", r.s.Incarnation(), incarnation, r.s.tip().Records, checkpoint.Records)
			}
			if got := r.ask(decision.Ask{ID: waiting.ID}); !got.Repeated || got.Counted {
				t.Errorf("%+v: a decision that waited while records were lost counts no more", got)
			}
			released := r.status().Released
			for range 20 {
				d := r.ask(decision.Ask{})
				r.pay(d.ID, .5)
				r.round() // fails if a neighbour refuses a message
			}
			if n := r.status().Released; n <= released {
				t.Errorf("%d releases, and %d before", n, released)
			}
			if own := incarnations(t, r.net.frames[before:]); !slices.Equal(own, []uint32{r.s.Incarnation()}) {
				t.Errorf("messages of incarnations %d, and the site is of %d", own, r.s.Incarnation())
			}
			r.draft()
			r.stop()
			r.start() // this also holds after a restart
			if r.s.OldCopy() || r.s.Incarnation() <= incarnation {
				t.Error("the recovery is forgotten with a restart")
			}
			r.stop()
		})
	}
}

// TestRecoverAgainIfAnotherRemembersMore: the neighbour that reported first had been away, and
// after the alarm the site left the network. What the other neighbour remembers is found at the
// next start, and the site recovers from that as well.
func TestRecoverAgainIfAnotherRemembersMore(t *testing.T) {
	for _, name := range withoutRoles() {
		r, known := parted(t, name)
		for i, tell := range [][]protocol.Peer{{left}, {left, right}} {
			r.open()
			for _, p := range tell {
				r.remembered(p)
			}
			if !r.s.OldCopy() {
				t.Fatalf("%s: start %d: nothing is noticed", name, i)
			}
			r.stop()
			r.open()
			if _, err := r.s.Recover(nil); err != nil {
				t.Fatalf("%s: start %d: %v", name, i, err)
			}
			r.stop()
		}
		r.start()
		r.work(12)
		own := len(r.draft().nodes)
		for at, n := range r.draft().nodes {
			if old, ok := known.nodes[at]; ok && old.Values[0] != n.Values[0] {
				t.Errorf("%s: node %+v is released twice", name, at)
			}
		}
		if r.s.OldCopy() || own <= len(backupNodes(r, known)) {
			t.Errorf("%s: behind %v, %d nodes in the ledger", name, r.s.OldCopy(), own)
		}
		r.stop()
	}
}

// backupNodes returns the nodes that two ledgers have in common.
func backupNodes(r *rig, known *draft) (both []place) {
	for at := range r.draft().nodes {
		if known.nodes[at] != nil {
			both = append(both, at)
		}
	}
	return both
}

// incarnations returns the incarnations of the site's own messages among frames; forwarded
// messages have others.
func incarnations(t *testing.T, frames []frame) (found []uint32) {
	t.Helper()
	for _, f := range frames {
		m := require.Value(protocol.Decode(vouch.For([]byte(f.bytes))))(t)
		if l := m.Label(); l.Origin == self && !slices.Contains(found, l.Incarnation) {
			found = append(found, l.Incarnation)
		}
	}
	return found
}

// TestAWipedDiskUnderAnOldKey: a wiped disk is an old copy as well, from before the first record.
func TestAWipedDiskUnderAnOldKey(t *testing.T) {
	for _, name := range protocols() {
		r := lost(t, name, 10)
		r.disk = vfs.NewCrashableMem()
		r.start()
		if !r.s.OldCopy() {
			t.Fatalf("%s: a fresh folder under an old key releases", name)
		}
		r.stop()
		r.open()
		a, err := r.s.Recover(nil)
		if err != nil || a.Had != 2 {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
		r.stop()
		r.start()
		// A neighbour that was away for long remembers the lost life's first records.
		r.s.OnRemembered(right, protocol.Checkpoint{Records: 2, Head: [32]byte{1}}, true)
		if r.s.OldCopy() {
			t.Fatalf("%s: %s", name, r.status().BlockedReason)
		}
		for range 12 {
			d := r.ask(decision.Ask{})
			r.pay(d.ID, .5)
			r.round()
		}
		if r.status().Released == 0 {
			t.Errorf("%s: nothing is released", name)
		}
		r.stop()
	}
}

// TestAnUnsignedMemoryIsNoEvidence: what a neighbour states and this peer has not signed blocks no site, open or not,
// leaves no evidence, and counts as no report.
func TestAnUnsignedMemoryIsNoEvidence(t *testing.T) {
	for what, states := range map[string]func(r *rig) protocol.Checkpoint{
		"more records": func(*rig) protocol.Checkpoint { return protocol.Checkpoint{Records: 1 << 40, Head: [32]byte{1}} },
		"another head": func(r *rig) protocol.Checkpoint {
			return protocol.Checkpoint{Records: r.s.tip().Records - 1, Head: [32]byte{1}}
		},
	} {
		r := newRig(t, usual(averaged, AtWindow))
		r.start()
		r.rounds(4)
		r.stop()
		r.open()
		r.s.OnRemembered(left, states(r), false)
		r.s.OnRemembered(right, r.s.tip(), true)
		if st := r.status(); r.s.OldCopy() || !r.s.isBlocked() || !strings.Contains(st.BlockedReason, "waiting for neighbours") {
			t.Errorf("%s, before the other report: %q", what, st.BlockedReason)
		}
		r.s.OnRemembered(left, r.s.tip(), false) // what is here needs no signature
		if r.s.isBlocked() || r.status().BlockedReason != "" {
			t.Errorf("%s, after both reports: %q", what, r.status().BlockedReason)
		}
		r.s.OnRemembered(left, states(r), false)
		if r.s.OldCopy() || r.s.isBlocked() || len(r.alarms) > 0 {
			t.Errorf("%s: an open site is blocked", what)
		}
		if n := strings.Count(r.logs.String(), "has not signed"); n != 2 {
			t.Errorf("%s: %d lines name the neighbour, want 2", what, n)
		}
		r.stop()
	}
}

// TestAForkIsForGood: if both histories continued, there is nothing to recover.
func TestAForkIsForGood(t *testing.T) {
	for what, checkpoint := range map[string]func(r *rig) protocol.Checkpoint{
		"same length": func(r *rig) protocol.Checkpoint {
			return protocol.Checkpoint{Records: r.s.tip().Records, Head: [32]byte{1}}
		},
		"shorter": func(r *rig) protocol.Checkpoint {
			return protocol.Checkpoint{Records: r.s.tip().Records - 3, Head: [32]byte{1}}
		},
		"longer, later": func(r *rig) protocol.Checkpoint {
			r.greet()
			r.round()
			return protocol.Checkpoint{Records: r.s.tip().Records + 3}
		},
	} {
		t.Run(what, func(t *testing.T) {
			r := lost(t, averaged, 0)
			r.open()
			r.s.OnRemembered(left, checkpoint(r), true)
			if !r.s.OldCopy() {
				t.Fatal("not noticed")
			}
			before := len(r.net.frames)
			r.s.OnRemembered(right, protocol.Checkpoint{Records: 1 << 20}, true) // improves nothing
			r.round()
			if len(r.net.frames) != before {
				t.Error("something is sent")
			}
			r.stop()
			r.open()
			checkpoint, records := r.s.tip(), len(r.lines())
			if _, err := r.s.Recover(nil); !errors.Is(err, ErrFork) {
				t.Errorf("recovered: %v", err)
			}
			if r.s.tip() != checkpoint || len(r.lines()) != records || !strings.Contains(r.status().BlockedReason, "another history") {
				t.Error("the refusal changed something")
			}
			r.stop()
		})
	}
}

func TestThereMayBeNothingToRecover(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	r.start()
	r.rounds(3)
	checkpoint := r.s.tip()
	if _, err := r.s.Recover(nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	r.stop()
	r.start()
	if r.s.tip() != checkpoint || r.s.OldCopy() {
		t.Error("the refusal changed something")
	}
	r.stop()
}

// TestRecoverFailsAsAWhole: if the clock cannot give an incarnation, no leaf is abandoned.
func TestRecoverFailsAsAWhole(t *testing.T) {
	r := lost(t, averaged, 10)
	r.start()
	r.stop()
	r.open()
	r.s.c.Now = func() time.Time { return time.Unix(0, 0) }
	if _, err := r.s.Recover(nil); err == nil {
		t.Fatal("recovered in 1970")
	}
	r.stop()
	r.open()
	require.Value(r.s.Recover(nil))(t)
	r.stop()
	r.start()
	r.rounds(3)
	r.stop()
}

// TestCheckpointsAreRemembered: checkpoints of other peers are stored with the next step.
func TestCheckpointsAreRemembered(t *testing.T) {
	r := newRig(t, usual(stated, AtWindow))
	r.start()
	of := func(n byte) protocol.SignedCheckpoint {
		return protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: uint64(n), Head: [32]byte{n}}, Signature: [64]byte{n + 1}}
	}
	r.s.OnCheckpoint(left, "l", of(5))
	r.s.OnCheckpoint(right, "a", of(6))
	r.s.OnCheckpoint(left, "l", of(7))
	r.round()
	r.crash()
	r.start()
	got, err := r.s.Checkpoints()
	want := []protocol.SignedCheckpoint{of(7), {}, of(6)}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
	known, err := signed.Checkpoints(r.s.store)
	if want := (map[string]signed.Known{r.s.c.ID(right): {SignedCheckpoint: of(6), Key: "a"}, r.s.c.ID(left): {SignedCheckpoint: of(7), Key: "l"}}); err != nil || !maps.Equal(known, want) {
		t.Errorf("%v (%v), want %v", known, err, want)
	}
	r.stop()
}
