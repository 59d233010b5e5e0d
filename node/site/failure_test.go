package site

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestAnAnswerAgainWaitsToo: a call that repeats an ask or a report that another call is still
// writing is not answered before it is durable either.
func TestAnAnswerAgainWaitsToo(t *testing.T) {
	r := newRig(t, usual(averaged, OnArrival))
	var on atomic.Bool
	r.wrap = func(fs vfs.FS) vfs.FS { return stuck{fs, &on} }
	r.start()
	calls := []func(){
		func() { r.ask(decision.Ask{ID: "a"}) },
		func() { r.pay("a", .5) },
	}
	for i, call := range calls {
		on.Store(true)
		answered := make(chan int, 2)
		go func() { call(); answered <- 1 }()
		for written := false; !written; runtime.Gosched() {
			v := require.Value(r.s.store.Get(store.Decision, []byte("a")))(t)
			c, err := parseChoice(v, r.c.shape())
			written = err == nil && (i == 0 || c.rewarded)
		}
		go func() { call(); answered <- 2 }()
		for range 1000 {
			runtime.Gosched()
		}
		if n := len(answered); n > 0 {
			t.Errorf("call %d: %d are answered while the disk has nothing", i, n)
		}
		on.Store(false)
		<-answered
		<-answered
	}
	r.stop()
}

// failing is a world that pays nothing in one round.
type failing struct {
	bandit.World
	left *int
}

func (f failing) Play(a bandit.Arm) (bandit.Reward, error) {
	if *f.left--; *f.left == 0 {
		return 0, errors.New("the world has ended")
	}
	return f.World.Play(a)
}

// TestARoundThatFailsLeavesNothing: the site cannot be used afterwards, and its store is
// unchanged; a new start continues as if the round had not been tried.
func TestARoundThatFailsLeavesNothing(t *testing.T) {
	for _, name := range protocols() {
		x := usual(name, AtWindow).repeatable(3)
		x.world = true
		want := play(t, x, 0)
		for round := 1; round <= 12; round++ {
			want.compare(t, play(t, x, round))
		}
	}
}

// play plays twelve rounds of a simulated site, of which one is played again after it has failed.
func play(t *testing.T, x setting, fails int) *trace {
	t.Helper()
	r := newRig(t, x)
	c := r.config()
	worlds := c.World
	c.World = func(l Life) (bandit.World, error) {
		w, err := worlds(l)
		return failing{w, &fails}, err
	}
	open := func() {
		s := require.Value(Open(c))(t)
		r.c, r.s = c, s
		r.greet()
	}
	open()
	for round := range protocol.Round(12) {
		in := r.net.step(round)
		if fails == 1 {
			if err := r.s.Round(round, in); err == nil {
				t.Fatal("the round did not fail")
			}
			if err := r.s.Round(round, in); err == nil {
				t.Fatal("a round follows one that failed")
			}
			r.pump()
			r.stop()
			c.World = worlds
			open()
		}
		require.NoError(t, r.s.Round(round, in))
		r.pump()
	}
	agent := require.Value(r.s.agent.Save())(t)
	tr := &trace{frames: r.net.frames, ledger: r.lines(), status: seen(r.status()), agent: agent.Bytes()}
	r.stop()
	return tr
}
