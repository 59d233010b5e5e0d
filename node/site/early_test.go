package site

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// TestNoRoundIsPlayedFarAhead of the clocks of other peers nor, before one of them was heard, far after the last round. The site says why,
// and goes on by itself when the clocks agree.
func TestNoRoundIsPlayedFarAhead(t *testing.T) {
	const tenYears = 10 * 365 * 24 * time.Hour
	far := time.Minute + 3*every
	for _, c := range []struct {
		what  string
		ahead time.Duration
		peers int
		idle  time.Duration // since the last round
		alone bool
		waits string
	}{
		{"ten years ahead", tenYears, 1, tenYears, false, "ahead of the clocks of other peers (1 have answered)"},
		{"a day ahead", 24 * time.Hour, 5, every, false, "ahead of the clocks of other peers (5 have answered)"},
		{"just far", far + time.Second, 2, every, false, "ahead of the clocks"},
		{"not far", far, 2, every, false, ""},
		{"behind", -tenYears, 2, every, false, ""},
		{"started after a week", 0, 1, 7 * 24 * time.Hour, false, ""},
		{"started after a week, and nothing was heard", 0, 0, 7 * 24 * time.Hour, false, "until the clock of another peer was heard"},
		{"started at once, and nothing was heard", 0, 0, far, false, ""},
		{"a site that has no neighbour to hear", 0, 0, tenYears, true, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			x := usual(stated, AtWindow)
			x.alone = c.alone
			r := newRig(t, x)
			r.start()
			r.rounds(3)
			r.s.c.Ahead = func() (time.Duration, int) { return c.ahead, c.peers }
			next := r.s.begins(r.s.state.Round)
			r.clock.add(next.Add(c.idle).Sub(r.clock.Now()))
			if got := r.s.isEarly(); got != (c.waits != "") {
				t.Fatalf("early: %v, %q", got, r.s.waits)
			}
			st := r.status()
			if why := r.s.Ready(t.Context()); c.waits == "" && why != nil || c.waits != "" && (why == nil || !strings.Contains(why.Error(), c.waits) || st.BlockedReason != why.Error() || st.Learning != node.Waits) {
				t.Errorf("ready: %v; status %v, %q", why, st.Learning, st.BlockedReason)
			}
			r.ask(decision.Ask{}) // decisions go on
			r.s.c.Ahead = func() (time.Duration, int) { return 0, 1 }
			r.s.isEarly()
			if why := r.s.Ready(t.Context()); why != nil {
				t.Errorf("when the clocks agree: %v", why)
			}
			r.stop()
		})
	}
}

// TestEarlyRoundsAreNotPlayed by the loop of rounds, and are when the clock is right.
func TestEarlyRoundsAreNotPlayed(t *testing.T) {
	running(t, func(t *testing.T) {
		x := usual(stated, OnArrival)
		x.alone = true
		a := wake(newRig(t, x))
		a.pass(2*every + every/2)
		var ahead atomic.Int64
		ahead.Store(int64(24 * time.Hour))
		a.sleep()
		a.ahead = func() (time.Duration, int) { return time.Duration(ahead.Load()), 1 }
		b := wake(a.rig)
		before := b.status().Round
		b.pass(5 * every)
		if got := b.status().Round; got != before {
			t.Errorf("round %d after %d, while the clock is a day ahead", got, before)
		}
		ahead.Store(0)
		b.pass(2 * every)
		if got := b.status(); got.Round < before+5 || got.BlockedReason != "" {
			t.Errorf("round %d after %d, %q, when the clock is right", got.Round, before, got.BlockedReason)
		}
		b.sleep()
	})
}

// TestNoWindowEndsEarly: while the clock is far ahead, kept decisions go on waiting for their rewards, and are remembered.
func TestNoWindowEndsEarly(t *testing.T) {
	running(t, func(t *testing.T) {
		x := keeping(false)
		x.alone = true
		r := newRig(t, x)
		r.ahead = func() (time.Duration, int) { return 24 * time.Hour, 1 }
		a := wake(r)
		d := a.ask(decision.Ask{Keep: true})
		if !d.Kept {
			t.Fatalf("%+v", d)
		}
		a.pass(x.rules.Window + x.rules.Keep + 20*every)
		waits := 0
		for _, err := range a.s.store.Scan(store.InsideDue, nil, nil) {
			if waits++; err != nil {
				t.Fatal(err)
			}
		}
		if again := a.ask(decision.Ask{ID: d.ID, Keep: true}); waits != 1 || !again.Repeated {
			t.Errorf("%d decisions wait, and again %+v", waits, again)
		}
		a.sleep()
	})
}

// TestASiteComesBackFromRoundsAheadOfTime: rounds that were played with a clock ten years ahead keep a site silent no longer than until
// recover, which gives up a leaf of each stream if neighbours know all that was released. No leaf is released twice, and nothing waits for
// rounds of that time.
func TestASiteComesBackFromRoundsAheadOfTime(t *testing.T) {
	confirmed := 0
	for _, name := range protocols() {
		for _, heard := range []bool{false, true} {
			x := usual(name, OnArrival)
			if name == nameOf(rows.PhasesParams{}) {
				x = keeping(false)
			}
			r := newRig(t, x)
			r.start()
			r.work(9)
			r.reopen()
			r.greet()
			const ahead = 10 * 365 * 24 * time.Hour
			r.clock.add(ahead)
			for i := range 8 {
				d := r.ask(decision.Ask{})
				if i%2 == 0 {
					r.pay(d.ID, .5)
				}
				require.NoError(t, r.s.Round(protocol.Round(r.s.roundAt(r.clock.Now())), nil))
				r.pump()
				r.clock.add(every)
			}
			r.clock.add(-ahead)
			waiting := r.ask(decision.Ask{})
			r.stop()
			r.open()
			if heard { // so all is confirmed
				r.greet()
			}
			if !strings.Contains(r.status().BlockedReason, "run `peerd recover`") {
				t.Errorf("%s: the way back is not said: %s", name, r.status().BlockedReason)
			}
			before := require.Value(r.s.agent.Closed())(t)
			done, err := r.s.Recover(nil)
			if err != nil || !done.Ahead {
				t.Fatalf("%s: %+v, %v", name, done, err)
			}
			if done.Dropped == 0 && done.GivenUp > uint64(len(done.Next)) {
				t.Errorf("%s: neighbours know all that was released, and %d leaves of %d streams are given up", name, done.GivenUp, len(done.Next))
			}
			if heard && done.Dropped == 0 {
				confirmed++
				if text := done.String(); strings.Contains(text, "Which users") || !strings.Contains(text, "A leaf of each stream") {
					t.Errorf("%s: %s", name, text)
				}
			}
			for k, n := range done.Next {
				if n <= before[k] {
					t.Errorf("%s: stream %d goes on with leaf %d after %d are closed", name, k, n, before[k])
				}
			}
			r.reopen()
			r.greet()
			if why := r.status().BlockedReason; why != "" {
				t.Fatalf("%s: %s", name, why)
			}
			if _, err = r.report(waiting.ID, .5); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			most := r.s.after(r.clock.Now().Add(r.rules.Window + r.rules.Keep))
			for _, table := range []store.Table{store.Due, store.InsideDue, store.Past, store.InsidePast} {
				for e, err := range r.s.store.Scan(table, nil, nil) {
					if round := store.ReadNumber(e.Key[:8]); err != nil || round > most {
						t.Errorf("%s: table %v waits for round %d, want at most %d: %v", name, table, round, most, err)
					}
				}
			}
			r.work(9)
			if now := r.s.roundAt(r.clock.Now()); r.s.state.Round > now+1 {
				t.Errorf("%s: round %d is played in round %d", name, r.s.state.Round, now)
			}
			r.draft()
			if _, err = r.s.Recover(nil); err == nil {
				t.Errorf("%s: there is something to come back from again", name)
			}
			r.stop()
		}
	}
	if confirmed < 4 {
		t.Errorf("neighbours know all in %d cases: this shows little", confirmed)
	}
}
