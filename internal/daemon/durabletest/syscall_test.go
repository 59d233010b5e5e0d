//go:build linux && amd64

package durabletest

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestNothingIsLostAtAnyCall kills a peer just before each call by which it writes to its store,
// syncs, or makes, renames or removes a file of it, while an application asks for 50 decisions
// and reports their rewards: once in a new folder, and once, until its clean end, in a folder in
// which a peer was killed before. Then the peer is started again. PEERD_LONG tries every call,
// otherwise 10 of them.
func TestNothingIsLostAtAnyCall(t *testing.T) {
	for _, again := range []bool{false, true} {
		name := "new folder"
		if again {
			name = "killed before"
		}
		t.Run(name, func(t *testing.T) {
			n := 0
			calls, _ := killAt(t, again, 0)
			step := max(1, len(calls)/5)
			if os.Getenv("PEERD_LONG") != "" {
				step = 1
			}
			for at := 1 + step/2; at <= len(calls); at += step {
				if _, killed := killAt(t, again, at); killed {
					n++
				}
				if t.Failed() {
					t.Fatalf("killed before call %d of %d", at, len(calls))
				}
			}
			kinds := make(map[string]int)
			for _, c := range calls {
				kind, _, _ := strings.Cut(c, ":")
				kinds[kind]++
			}
			t.Logf("%d points of %d calls on the store's files %v: nothing lost, nothing counted twice, noise drawn once", n, len(calls), kinds)
		})
	}
}

// killAt runs the script and kills the peer before a call; 0 for none. It returns the calls, and
// whether that call was reached: runs are not quite equal.
func killAt(t *testing.T, again bool, at int) (calls []string, killed bool) {
	t.Helper()
	l := newLab(t, 2, "rounds.every", "20ms", "protocol.name", "average", "protocol.average.consistency", "max")
	defer func() { _ = os.RemoveAll(l.dir) }()
	s, rec := l.sites[0], l.sites[1].record()
	defer func() { _ = rec.close() }()
	a := &app{s: s, stop: make(chan struct{})}
	script := func(n int) {
		for i := range n {
			ask := a.make(float64(i) / 64)
			for !a.try(ask) {
				if s.dead() {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}
	}
	if again {
		s.start(launch{})
		s.ready()
		script(25)
		s.kill()
	}
	s.start(traced(s, at))
	script(50)
	if !s.dead() {
		_ = s.leash.Close()
	}
	s.ends(time.Minute)
	calls = s.calls()
	if len(calls) < at {
		return calls, false
	}
	had := rec.mark()
	s.start(launch{})
	s.ready()
	if d := s.status(); d.LedgerRecords < had.Records {
		t.Errorf("the ledger has %d records, %d were told the neighbour", d.LedgerRecords, had.Records)
	}
	a.end(t)
	settled(a, rec)
	return calls, at > 0
}
