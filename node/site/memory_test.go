package site

import (
	"fmt"
	"runtime"
	"testing"

	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// TestMemoryReturns: after 100,000 decisions and their rewards, all of which are settled and forgotten, a site on a real disk
// holds what the store keeps for the next ones and nothing that grows with them. In builds without cgo, as this test is meant
// for, the store's tables are in Go's heap.
func TestMemoryReturns(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 100,000 decisions")
	}
	const size, requests, most = 250, 400, 40 << 20 // two tables of the store are 32 MiB; until the fourth is full it may hold three
	x := usual(protocols()[0], AtWindow)
	x.rules.Keep = every
	r := newRig(t, x)
	c := r.config()
	c.Dir, c.Store = t.TempDir(), store.Options{Fatal: func(err error) { panic(err) }}
	c.Logger = nil
	var err error
	if r.s, err = Open(c); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.s.Close() }()
	r.c = c
	r.greet()
	before, peak := live(), uint64(0)
	for n := range requests {
		asks, reports := make([]decision.Ask, size), make([]decision.Report, size)
		for i := range asks {
			asks[i].ID = fmt.Sprintf("visit-%d-%d", n, i)
			reports[i] = decision.Report{ID: asks[i].ID, Value: .5}
		}
		for _, o := range r.s.Decide(t.Context(), asks) {
			if o.Err != nil {
				t.Fatal(o.Err)
			}
		}
		for _, o := range r.s.Reward(t.Context(), reports) {
			if o.Err != nil {
				t.Fatal(o.Err)
			}
		}
		r.pump()
		r.round()
		if n%20 == 0 {
			peak = max(peak, live())
		}
	}
	r.rounds(10)
	after := live()
	t.Logf("live heap: %.1f MB at the start, at most %.1f MB, %.1f MB at the end", mb(before), mb(peak), mb(after))
	if after > before+most {
		t.Errorf("%.1f MB are left of what decisions need, want at most %.1f", mb(after-before), mb(most))
	}
}

// live returns the bytes of the heap that a collection leaves.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func mb(bytes uint64) float64 { return float64(bytes) / 1e6 }
