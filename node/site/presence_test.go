package site

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/protocol"
	"peerd.dev/protocol/table"
)

// TestPresenceLooksTheSame: with noised counts, a site with one more user shows the same as
// without, if both get the same nodes: frames with their moments, ledger, status, and the answers
// to all others. Both crash once. With public counts their messages differ.
func TestPresenceLooksTheSame(t *testing.T) {
	for _, e := range table.Protocols() {
		if !protocol.TraitsOf(e).NoisedCounts {
			continue
		}
		if found := presence(t, e.Words().Name, dp.AddOrRemove); len(found) > 0 {
			t.Errorf("%s: %s", e.Words().Name, found)
		}
		if found := presence(t, e.Words().Name, dp.ReplaceOne); len(found) == 0 {
			t.Errorf("%s: nothing shows presence where counts are public: the comparison above compares nothing", e.Words().Name)
		}
	}
}

// presence returns how a site shows that there was one more user.
func presence(t *testing.T, name string, adjacency dp.Adjacency) (found []string) {
	t.Helper()
	var want view
	var nodes []dp.Release
	var turns []uint64
	half := func(i int) (float64, time.Duration) { return float64(i%3) / 2, every / 8 }
	for _, a := range []tale{{name: "without", of: half}, {name: "with a visitor", of: half, visitor: true}} {
		running(t, func(t *testing.T) {
			x := usual(name, AtWindow)
			x.seed, x.adjacency, x.rules.MinExposures = 1, adjacency, 2
			w := &twin{rig: newRig(t, x), tale: a, given: nodes}
			got := w.play(40)
			if !a.visitor {
				want, nodes, turns = got, w.drawn, slices.Compact(w.turns)
				if len(nodes) < 30 || len(want.sent) < 40 {
					t.Fatalf("%d nodes and %d frames: this shows little", len(nodes), len(want.sent))
				}
				return
			}
			got.commits = want.commits // each decision is one, and with noised counts no metric counts them
			found = want.differences(fmt.Sprint(a.name, ", ", adjacency), &got)
			if !slices.Equal(turns, slices.Compact(w.turns)) {
				found = append(found, "the learner's time counts decisions")
			}
		})
	}
	return found
}

// TestAGapSaysNoCounts: with noised counts, a recovery writes the same into the public ledger
// however many decisions waited.
func TestAGapSaysNoCounts(t *testing.T) {
	for adjacency, want := range map[dp.Adjacency]uint64{dp.ReplaceOne: 3, dp.AddOrRemove: 0} {
		x := usual(stated, AtWindow)
		x.adjacency = adjacency
		r := newRig(t, x)
		r.start()
		for range 3 {
			r.ask(decision.Ask{})
		}
		r.rounds(4)
		if d := r.draft(); len(d.nodes) == 0 { // which also verifies the ledger
			t.Fatal("nothing was released")
		}
		done, err := r.s.Recover([]string{"peer 2"})
		if err != nil {
			t.Fatal(err)
		}
		if g := r.gap(); g.Waiting != want || done.Waiting != 3 {
			t.Errorf("%v: %d decisions waited, the ledger says %d, want %d", adjacency, done.Waiting, g.Waiting, want)
		}
		_ = r.s.store.Close()
	}
}
