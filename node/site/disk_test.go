package site

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

const gib = 1 << 30

func (r *rig) room(bytes uint64) {
	r.disk.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: bytes, TotalBytes: 100 * gib, UsedBytes: 100*gib - bytes})
}

// fill leaves a number of bytes free and asks until the store, which checks only now and then,
// notices. It returns how many decisions were made.
func (r *rig) fill(left uint64) (made int) {
	r.t.Helper()
	r.room(left)
	for ; made < 1000; made++ {
		out := r.decide(decision.Ask{ID: strings.Repeat("x", 4000) + fmt.Sprint(made)})
		switch refused(r.t, out[0].Err) {
		case decision.Full:
			return made
		case "":
		default:
			r.t.Fatal(out[0].Err)
		}
	}
	r.t.Fatal("the store does not see that the disk is full")
	return 0
}

// TestAFullDiskTakesNothing: with less room than the reserve, nothing is accepted, learned or
// released; with room again everything continues, in the same process.
func TestAFullDiskTakesNothing(t *testing.T) {
	r := newRig(t, plain(OnArrival))
	r.full.Reserve = gib
	r.room(50 * gib)
	r.start()
	d := r.ask(decision.Ask{ID: "before"})
	r.rounds(2)
	made := r.fill(gib / 4)
	before, status, frames := fmt.Sprintf("%x", r.lines()), seen(r.status()), len(r.net.frames)
	if out := r.decide(decision.Ask{ID: "a"}, decision.Ask{}); refused(t, out[0].Err) != decision.Full || refused(t, out[1].Err) != decision.Full {
		t.Errorf("%+v", out)
	}
	if _, err := r.report(d.ID, .5); refused(t, err) != decision.Full {
		t.Error(err)
	}
	if err := r.s.Ready(t.Context()); !errors.Is(err, store.ErrFull) {
		t.Errorf("ready: %v", err)
	}
	if err := r.s.Round(protocol.Round(r.s.state.Round), nil); !errors.Is(err, store.ErrFull) {
		t.Errorf("round: %v", err)
	}
	if got := fmt.Sprintf("%x", r.lines()); got != before || seen(r.status()) != status || len(r.net.frames) != frames {
		t.Error("something changed on a full disk")
	}
	r.room(2 * gib)
	if out := r.decide(decision.Ask{ID: "a"}); out[0].Err != nil || out[0].Value.Repeated {
		t.Errorf("%+v: was it stored on the full disk?", out)
	}
	r.pay(d.ID, .5)
	r.rounds(6)
	if n, sum := r.taken(); n != uint64(made+2) || sum != .5+.25*float64(made+1) {
		t.Errorf("%d rewards of %v are in, want %d, one of .5 and else the default", n, sum, made+2)
	}
	r.stop()
	r.start()
	r.stop()
}

// TestADiskWithoutFilesIsFull: what is refused on a disk that has bytes, and takes no more files, is refused with that reason.
func TestADiskWithoutFilesIsFull(t *testing.T) {
	r := newRig(t, plain(OnArrival))
	free := uint64(100)
	r.full.Reserve, r.full.Files = gib, func(string) (all, left uint64) { return 1 << 20, free }
	r.room(50 * gib)
	r.start()
	free = 0
	r.s.store.Reserve(0) // looks
	const says = "no more files"
	var refusal *decision.Refusal
	if err := r.decide(decision.Ask{ID: "a"})[0].Err; !errors.As(err, &refusal) || refusal.Code != decision.Full || !strings.Contains(refusal.Reason, says) {
		t.Error(err)
	}
	for what, err := range map[string]error{"ready": r.s.Ready(t.Context()), "round": r.s.Round(protocol.Round(r.s.state.Round), nil)} {
		if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	free = 64
	r.ask(decision.Ask{ID: "a"})
	r.rounds(2)
	r.stop()
}

// TestALowDiskKeepsWhatWasPromised: with less room than the reserve no decision is made, but the
// rewards of earlier decisions are accepted, and rounds continue. Reserved room is not free, even
// after a restart, until the reward comes or the window ends; that for the note of a late report is held until the decision is
// forgotten.
func TestALowDiskKeepsWhatWasPromised(t *testing.T) {
	r := newRig(t, plain(AtWindow))
	r.full.Reserve = gib
	r.room(50 * gib)
	r.start()
	d := r.ask(decision.Ask{ID: "before"})
	made := r.fill(gib * 3 / 4)
	if err := r.s.Ready(t.Context()); !errors.Is(err, store.ErrFull) {
		t.Errorf("ready: %v", err)
	}
	r.pay(d.ID, .5)
	r.rounds(8)
	if n, sum := r.taken(); n != uint64(made+1) || sum != .5+.25*float64(made) {
		t.Errorf("%d rewards of %v are in, want %d, one of .5 and else the default", n, sum, made+1)
	}
	r.room(2 * gib)
	r.ask(decision.Ask{ID: "paid"})
	r.ask(decision.Ask{ID: "unpaid"})
	notes, err := r.s.reserveLate() // until decisions are forgotten
	if err != nil {
		t.Fatal(err)
	}
	r.room(gib + 100 + uint64(notes))
	if r.s.store.Reserve(0); !r.s.store.Low() { // looks
		t.Error("late reports have no room of their own")
	}
	r.crash()
	r.room(gib + 100 + uint64(notes))
	r.start()
	for _, c := range []struct {
		what string
		do   func()
		low  bool
	}{
		{"two decisions wait", func() {}, true},
		{"one has its reward", func() { r.pay("paid", 1) }, true},
		{"the window of the other is over", func() { r.clock.add(window); r.rounds(5) }, false},
	} {
		c.do()
		if r.s.store.Look(); r.s.store.Low() != c.low {
			t.Errorf("%s: low=%v", c.what, r.s.store.Low())
		}
	}
	r.stop()
}

// TestAFullDiskStopsRoundsOnly: Run logs it once and waits, and continues by itself.
func TestAFullDiskStopsRoundsOnly(t *testing.T) {
	running(t, func(t *testing.T) {
		x := usual(stated, OnArrival)
		x.alone = true
		r := newRig(t, x)
		r.full.Reserve = gib
		r.room(50 * gib)
		a := wake(r)
		a.pass(3 * every)
		r.fill(gib / 4)
		a.pass(2 * every)
		stuck, asks := a.status(), a.asked()
		a.pass(100 * every)
		if st := a.status(); !st.Full || st.Round != stuck.Round || st.Released != stuck.Released || a.asked()-asks > 500 {
			t.Errorf("%+v after %+v, the clock was asked %d times", st, stuck, a.asked()-asks)
		}
		r.room(50 * gib)
		a.pass(5 * every)
		if st := a.status(); st.Full || st.Round <= stuck.Round+100 || st.Released <= stuck.Released {
			t.Errorf("%+v with room again, was %+v", st, stuck)
		}
		if n := strings.Count(r.logs.String(), "the disk is full"); n != 1 {
			t.Errorf("%d lines say that the disk is full", n)
		}
		a.sleep()
	})
}

// TestABrokenDiskEndsAll: after the first failed sync, Fatal is called and nothing more is
// answered or sent. What was answered before is on the disk.
func TestABrokenDiskEndsAll(t *testing.T) {
	for _, name := range protocols() {
		r := newRig(t, usual(name, OnArrival))
		var broken, failed atomic.Bool
		r.wrap = func(fs vfs.FS) vfs.FS {
			return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
				sync := op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
				if sync && broken.Load() {
					failed.Store(true)
					return errorfs.ErrInjected
				}
				return nil
			}))
		}
		fatal := make(chan error, 100)
		r.full.Fatal = func(err error) { // must not return
			fatal <- err
			select {}
		}
		r.start()
		var mu sync.Mutex
		answered, after := 0, 0
		answer := func(out []decision.Outcome[decision.Decision]) {
			mu.Lock()
			defer mu.Unlock()
			if out[0].Err == nil {
				answered++
				if failed.Load() {
					after++ // it began before
				}
			}
		}
		for i := range 20 {
			answer(r.decide(decision.Ask{ID: fmt.Sprint(i)}))
		}
		r.rounds(3)
		frames, site, round := len(r.net.frames), r.s, protocol.Round(r.s.state.Round)
		broken.Store(true)
		for i := range 8 {
			go func() { answer(site.Decide(t.Context(), []decision.Ask{{ID: fmt.Sprint("late", i)}})) }()
		}
		go func() {
			_ = site.Round(round, nil)
			_ = site.send(t.Context(), r.net)
		}()
		select {
		case err := <-fatal:
			if !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("%s: fatal: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: nobody says that the disk failed", name)
		}
		for range 100 { // time for calls that must not come
			runtime.Gosched()
		}
		mu.Lock()
		if answered != 20 || after > 0 {
			t.Errorf("%s: %d answers, %d after the disk failed; want 20 and none", name, answered, after)
		}
		mu.Unlock()
		if n := len(r.net.frames); n != frames {
			t.Errorf("%s: %d frames were sent after the disk failed", name, n-frames)
		}
		r.disk, r.wrap, r.full.Fatal = r.disk.CrashClone(vfs.CrashCloneCfg{}), nil, nil
		r.start()
		for i := range 20 {
			if !r.ask(decision.Ask{ID: fmt.Sprint(i)}).Repeated {
				t.Errorf("%s: decision %d is lost", name, i)
			}
		}
		r.stop()
	}
}
