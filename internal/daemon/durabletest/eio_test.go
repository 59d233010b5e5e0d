//go:build linux && amd64

package durabletest

import (
	"os"
	"strings"
	"testing"
	"time"

	"peerd.dev/node/store"
)

// TestAFailedSyncEndsThePeer with code 74, and no later request is acknowledged.
func TestAFailedSyncEndsThePeer(t *testing.T) {
	points := []int{1, 30, 31}
	if os.Getenv("PEERD_LONG") != "" {
		points = []int{1, 2, 5, 10, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 30, 40, 50, 60, 70, 80, 90, 100}
	}
	for _, at := range points {
		failSync(t, at)
	}
	t.Logf("%d points: no acknowledgement after the first EIO, exit code %d, the message names the reason, nothing lost", len(points), store.ExitIO)
}

func failSync(t *testing.T, at int) {
	t.Helper()
	l := newLab(t, 2, "rounds.every", "20ms")
	defer func() { _ = os.RemoveAll(l.dir) }()
	s, rec := l.sites[0], l.sites[1].record()
	defer func() { _ = rec.close() }()
	a := &app{s: s, stop: make(chan struct{})}
	s.start(failing(s, at))
	var last time.Time // when the newest acknowledged request was sent
	for !s.dead() {
		ask := a.make(.5)
		began := time.Now()
		if a.try(ask) {
			last = began
		} else {
			a.giveBack(ask)
			time.Sleep(time.Millisecond)
		}
	}
	b, err := os.ReadFile(failedPath(s.dir))
	if err != nil {
		t.Fatalf("no sync failed, there were %d: %v\n%s", len(s.calls()), err, s.tail())
	}
	failed, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		t.Fatal(err)
	}
	if last.After(failed) {
		t.Errorf("sync %d (%s) failed, and what was asked for %v later was acknowledged", at, s.calls()[at-1], last.Sub(failed))
	}
	if c := s.cmd.ProcessState.ExitCode(); c != store.ExitIO {
		t.Errorf("sync %d failed: exit code %d, want %d\n%s", at, c, store.ExitIO, s.tail())
	}
	if log := s.tail(); !strings.Contains(log, "disk") || !strings.Contains(log, "input/output error") {
		t.Errorf("sync %d failed: the reason is not named:\n%s", at, log)
	}
	s.start(launch{})
	s.ready()
	a.end(t)
	settled(a, rec)
}
