package site

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// TestPresenceLooksTheSame: with noised counts and any learner, a site with more users shows the same
// as without, if both get the same nodes and coins: frames with their moments, ledger, status, and the
// answers to all others. That holds for one user among others, for a user who is the only one of every round, and for a
// hundred in one leaf. Both crash once. With public counts their messages differ.
func TestPresenceLooksTheSame(t *testing.T) {
	t.Parallel()
	samplers := 0
	for _, e := range papers.All() {
		if !protocol.TraitsOf(e).NoisedCounts {
			continue
		}
		for _, l := range learner.All() {
			learner, err := bandit.New(bandit.Small(l), bandit.Config{Arms: 3, Peers: 3, Horizon: 4096, Epsilon: 1})
			if err != nil || learner.Statistic().Width() > 1 || bandit.TraitsOf(l).Phased {
				continue
			}
			if by, ok := learner.(bandit.BySite); ok && by.NeedsSites() && !protocol.TraitsOf(e).Sites {
				continue
			}
			if _, ok := learner.(bandit.Sampler); ok {
				samplers++
			}
			for _, explore := range []float64{0, .3} {
				for what, visit := range map[string]tale{"among others": {visitors: 1}, "alone": {visitors: 1, lonely: true}} {
					if found := presence(t, e.Words().Name, dp.AddOrRemove, bandit.Small(l), explore, visit); len(found) > 0 {
						t.Errorf("%s with %s and explore %v, %s: %s", e.Words().Name, l.Words().Name, explore, what, found)
					}
				}
			}
		}
		if found := presence(t, e.Words().Name, dp.AddOrRemove, nil, 0, tale{visitors: 100}); len(found) > 0 {
			t.Errorf("%s with a hundred: %s", e.Words().Name, found)
		}
		sums := tale{visitors: 3, adding: Sum, more: func(i int) int { return i }, ends: func(i int) string { return []string{"after", "empty", ""}[i%3] }}
		if found := presence(t, e.Words().Name, dp.AddOrRemove, nil, 0, sums); len(found) > 0 {
			t.Errorf("%s with sums that end: %s", e.Words().Name, found)
		}
		if found := presence(t, e.Words().Name, dp.ReplaceOne, nil, 0, tale{visitors: 1}); len(found) == 0 {
			t.Errorf("%s: nothing shows presence where counts are public: the comparison above compares nothing", e.Words().Name)
		}
	}
	if samplers == 0 {
		t.Error("no learner samples")
	}
}

// TestACopyDrawsCoinsOfItsOwn: with noised counts, two starts on copies of one folder choose independently, so that
// what one of them was asked before cannot be read off the other's answers.
func TestACopyDrawsCoinsOfItsOwn(t *testing.T) {
	choices := func(r *rig) (all []string) {
		for i := range 60 {
			all = append(all, r.ask(decision.Ask{ID: fmt.Sprint(i)}).Action)
		}
		return all
	}
	for _, adjacency := range []dp.Adjacency{dp.AddOrRemove, dp.ReplaceOne} {
		x := usual(stated, AtWindow)
		x.adjacency, x.explore = adjacency, 1
		r := newRig(t, x)
		r.start()
		r.rounds(4)
		r.stop()
		backup := r.disk.CrashClone(vfs.CrashCloneCfg{})
		r.start()
		first := choices(r)
		r.stop()
		r.disk = backup
		r.start()
		if same := slices.Equal(first, choices(r)); same != (adjacency == dp.ReplaceOne) {
			t.Errorf("%v: the choices of both starts are the same: %v", adjacency, same)
		}
		r.stop()
	}
}

// presence returns how a site shows that the visitors of a tale were there; with the first learner of the table for nil.
func presence(t *testing.T, name string, adjacency dp.Adjacency, learner bandit.Params, explore float64, visit tale, changes ...func(*twin)) (found []string) {
	t.Helper()
	var want view
	var nodes []dp.Release
	var turns []uint64
	visit.name, visit.of = "with visitors", func(i int) (float64, time.Duration) { return float64(i%3) / 2, every / 8 }
	without := visit
	without.name, without.visitors = "without", 0
	for _, a := range []tale{without, visit} {
		running(t, func(t *testing.T) {
			x := usual(name, AtWindow)
			x.seed, x.adjacency, x.rules.MinExposures, x.learner, x.explore = 1, adjacency, 2, learner, explore
			x.rules.Adding = cmp.Or(visit.adding, First)
			w := &twin{rig: newRig(t, x), tale: a, given: nodes}
			for _, change := range changes {
				change(w)
			}
			got := w.play(40)
			if a.visitors == 0 {
				want, nodes, turns = got, w.drawn, slices.Compact(w.turns)
				if len(nodes) < 30 || len(want.sent) < 40 {
					t.Fatalf("%d nodes and %d frames: this shows little", len(nodes), len(want.sent))
				}
				return
			}
			got.commits = want.commits // each decision is one, and with noised counts no metric counts them
			found = want.differences(fmt.Sprint(a.name, ", ", adjacency), &got)
			if !a.lonely && !slices.Equal(turns, slices.Compact(w.turns)) {
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
