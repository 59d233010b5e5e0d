package site

import (
	"fmt"
	"strings"
	"testing"

	"peerd.dev/node/decision"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/epochs"
)

// TestThePeerThatAllReportToIsLost: a site whose coordinator or server does not answer reports it
// in its status and once in its log, continues to decide, and is ready. It reports nothing before
// it has asked.
func TestThePeerThatAllReportToIsLost(t *testing.T) {
	for _, params := range []protocol.Params{epochs.CoordinatorParams{}, epochs.SinkParams{}, batches.BatchParams{}} {
		name := nameOf(params)
		t.Run(name, func(t *testing.T) {
			x := usual(name, OnArrival)
			if _, ok := params.(batches.BatchParams); ok {
				x.params = batches.BatchParams{First: 3, DecideFrom: batches.FromReleases, Analyzer: 1, Pull: 4, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}
			}
			r := newRig(t, x)
			r.mute = true // so it is not asked
			r.start()
			for i := range 120 {
				r.ask(decision.Ask{ID: fmt.Sprint(i)})
				r.pay(fmt.Sprint(i), .5)
				if r.round(); i < 3 && r.status().AloneReason != "" {
					t.Errorf("after %d rounds: %s", i+1, r.status().AloneReason)
				}
			}
			if why := r.status().AloneReason; !strings.Contains(why, "peer 0") {
				t.Errorf("after 120 rounds without an answer: %q", why)
			}
			r.mute = false
			r.rounds(20)
			if why := r.status().AloneReason; why != "" || !strings.Contains(r.logs.String(), "not alone any more") {
				t.Errorf("the peer answers, and the status is %q", why)
			}
			if err := r.s.Ready(t.Context()); err != nil {
				t.Errorf("not ready: %v", err)
			}
			if n := strings.Count(r.logs.String(), "does not answer"); n != 1 {
				t.Errorf("said %d times in the log", n)
			}
			r.stop()
		})
	}
	r := newRig(t, usual(stated, OnArrival))
	r.start()
	r.rounds(50)
	if why := r.status().AloneReason; why != "" {
		t.Errorf("with a protocol that needs no peer: %s", why)
	}
	r.stop()
}
