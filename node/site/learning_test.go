package site

import (
	"strings"
	"testing"
	"time"

	"peerd.dev/node"
	"peerd.dev/node/decision"
)

// TestTheEndOfLearningIsShown: when what the charge pays for runs out, status, log and decisions
// say so: before, near the end, and after.
func TestTheEndOfLearningIsShown(t *testing.T) {
	x := usual(stated, OnArrival)
	x.horizon = 60
	r := newRig(t, x)
	r.clock.now = epoch().Add(-time.Hour)
	r.start()
	state := func(want node.Learning, notice string) {
		t.Helper()
		r.s.notice()
		st := r.status()
		if st.Learning != want || !strings.Contains(st.Notice, notice) || (st.Notice == "") != (notice == "") {
			t.Fatalf("round %d: %s, %q, want %s, %q", r.s.state.Round, st.Learning, st.Notice, want, notice)
		}
		if logged := strings.Count(r.logs.String(), notice); notice != "" && logged != 1 {
			t.Errorf("%q is logged %d times", notice, logged)
		}
	}
	state(node.Waits, "the network starts at 2026-03-01 00:00:00 UTC, in 1h0m0s")
	if err := r.s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "the network starts") {
		t.Errorf("before the start the site is ready: %v", err)
	}
	r.clock.now = epoch()
	if d := r.ask(decision.Ask{}); d.Source != decision.Initial || !d.Counted {
		t.Errorf("a decision before anything is known: %+v", d)
	}
	work := func() decision.Decision {
		d := r.ask(decision.Ask{})
		r.pay(d.ID, .5)
		r.round()
		return d
	}
	for range 20 {
		work()
	}
	state(node.Goes, "")
	if d := work(); d.Source != decision.Learned || !d.Counted {
		t.Errorf("a decision in between: %+v", d)
	}
	for r.status().Learning == node.Goes {
		work()
	}
	left := r.status().Remaining
	if paid := r.c.Cadence.Leaves(x.horizon); left == 0 || left > paid/few {
		t.Errorf("learning ends soon with %d of %d leaves", left, paid)
	}
	state(node.Ends, "learning ends soon")
	until := r.status().Until
	for r.status().Learning == node.Ends {
		work()
	}
	state(node.Ended, "learning has ended: every ")
	if late := r.clock.Now().Sub(until).Abs(); late > time.Duration(r.c.Cadence.Rounds)*every {
		t.Errorf("learning was to end at %v, and is found ended at %v", until, r.clock.Now())
	}
	d := work()
	if d.Counted {
		t.Errorf("a decision after the end: %+v", d)
	}
	if again := r.ask(decision.Ask{ID: d.ID}); again.Counted || !again.Repeated {
		t.Errorf("and repeated: %+v", again)
	}
	if got, err := r.report(d.ID, .5); err != nil || got.Counted || !got.Duplicate {
		t.Errorf("its reward: %+v, %v", got, err)
	}
	if err := r.s.Ready(t.Context()); err != nil {
		t.Errorf("decisions are made, and the site is not ready: %v", err)
	}
	r.stop()
}

// TestAWorldThatIsOverIsShown: a simulated network began longer ago than it lasts.
func TestAWorldThatIsOverIsShown(t *testing.T) {
	x := usual(averaged, OnArrival)
	x.world, x.horizon = true, 40
	r := newRig(t, x)
	r.clock.now = epoch().Add(time.Hour)
	r.start()
	r.rounds(1)
	if st := r.status(); st.Learning != node.Ended || st.Notice != "learning has ended: all 40 rounds are over since 2026-03-01 00:00:40 UTC" {
		t.Errorf("%s: %q", st.Learning, st.Notice)
	}
	r.stop()
}
