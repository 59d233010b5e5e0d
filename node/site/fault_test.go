package site

import (
	"errors"
	"strings"
	"testing"
	"time"

	"peerd.dev/node"
)

// TestFaultsOfOthersAreInTheLog: the first fault in a minute is logged as a warning, which says
// how many there were; each is counted, and the newest is in the status.
func TestFaultsOfOthersAreInTheLog(t *testing.T) {
	r := newRig(t, usual(stated, OnArrival))
	r.start()
	r.s.mu.Lock()
	now := time.Now()
	r.s.c.Now = func() time.Time { return now }
	for i, after := range []time.Duration{0, time.Second, 58 * time.Second, 2 * time.Second, time.Second} {
		now = now.Add(after)
		r.s.note(node.Ready{Refused: []error{errors.New("reason " + string(rune('a'+i)))}})
	}
	r.s.c.Now = time.Now
	r.s.mu.Unlock()
	var warned []string
	for line := range strings.Lines(r.logs.String()) {
		if strings.Contains(line, "broke the protocol") && strings.Contains(line, "level=WARN") {
			warned = append(warned, line)
		}
	}
	if len(warned) != 2 || !strings.Contains(warned[0], "reason a") || !strings.Contains(warned[1], "reason d") || !strings.Contains(warned[1], `count=4`) {
		t.Errorf("warnings: %q, want one of reason a, and one of reason d with 4 so far", warned)
	}
	if n := strings.Count(r.logs.String(), "broke the protocol"); n != 5 {
		t.Errorf("%d are in the log, want all 5", n)
	}
	if d := r.status(); d.Refused != 5 || d.LastErr != "reason e" {
		t.Errorf("status: %d refused, last %q", d.Refused, d.LastErr)
	}
	r.stop()
}
