//go:build unix

package graphs

import (
	"math"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// large are graphs of 10,000 peers, such as a simulation of many peers is run on.
func large() []Spec {
	const n = 10_000
	return []Spec{
		{Name: "ring", N: n},
		{Name: "regular", N: n, Degree: 4},
		{Name: "gnp", N: n, P: .002},
		{Name: "gnp", N: n, P: .02},
	}
}

// TestTenThousandPeersTakeLittle: a graph and its spectral gap take less than 2 s of processor
// time and allocate less than 200 MiB in total; a dense matrix alone would take 763 MiB.
func TestTenThousandPeersTakeLittle(t *testing.T) {
	const most, mostBytes = 2 * time.Second, 200 << 20
	for _, s := range large() {
		var took time.Duration
		for try := range 3 { // another process may have had the caches
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := processorTime(t)
			g, _, err := s.Build(rng(1))
			if err != nil {
				t.Fatal(err)
			}
			gap := SpectralGap(g)
			took = processorTime(t) - began
			runtime.ReadMemStats(&after)
			bytes := after.TotalAlloc - before.TotalAlloc
			t.Logf("%s: %s, gap %.3g, %v, %d MiB, try %d", s, g, gap, took, bytes>>20, try)
			if bytes > mostBytes {
				t.Errorf("%s: %d MiB, want at most %d", s, bytes>>20, mostBytes>>20)
			}
			if want := (1 - math.Cos(2*math.Pi/float64(s.N))) / float64(s.N); s.Name == "ring" && math.Abs(gap/want-1) > 1e-6 {
				t.Errorf("the gap of the ring is %v, want %v", gap, want)
			}
			if !(gap > 0 && gap < 1) {
				t.Errorf("%s: gap %v", s, gap)
			}
			if took <= most || testing.Short() {
				break
			}
		}
		if took > most && !testing.Short() {
			t.Errorf("%s: %v, want at most %v", s, took, most)
		}
	}
}

// processorTime returns the processor time that the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
