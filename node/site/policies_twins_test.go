package site

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// policies are sites that add something to their learner: tables, a baseline, new actions, or the shadow of an application.
func policies() map[string]setting {
	all := make(map[string]setting)
	for _, l := range []bandit.Params{bandit.PersonalizedParams{Price: 20}, bandit.ThompsonParams{Inflation: math.Sqrt2}, bandit.MEDParams{}} {
		x := usual(nameOf(rows.PhasesParams{}), AtWindow)
		x.learner, x.tables, x.explore, x.mechanism = l, true, .2, dp.EachLaplace
		x.rules.Baseline, x.rules.BaselineShare, x.rules.UntilBetter = "green", .3, true
		all["baseline and tables, "+l.Words().Name] = x
		y := grown(AtWindow)
		y.learner, y.tables, y.rules.Offer, y.rules.MinExposures = l, true, []string{OfferAll}, 2
		all["a new action, "+l.Words().Name] = y
	}
	for i, x := range shadowed() {
		if x.describes && x.rules.Shadow == ShadowPropose {
			continue // leaves close by rewards, so no node is there to compare
		}
		all[fmt.Sprint("shadow ", i, " ", x.rules.Shadow)] = x
	}
	noised := usual(stated, AtWindow)
	noised.adjacency, noised.learner, noised.tables = dp.AddOrRemove, bandit.ThompsonParams{Inflation: math.Sqrt2}, true
	all["tables, noised counts"] = noised
	return all
}

// TestPoliciesLookTheSame: as TestHistoriesLookTheSame, where an application draws from tables, keeps a baseline, is offered a new
// action, or takes actions by a policy of its own. What it takes differs between the histories, too.
func TestPoliciesLookTheSame(t *testing.T) {
	t.Parallel()
	histories := slices.DeleteFunc(tales(), func(a tale) bool {
		return !slices.Contains([]string{"unreported", "fractions", "good ones", "other features"}, a.name)
	})
	for takes := range 3 {
		taken := histories[2]
		taken.name, taken.takes = fmt.Sprint("taken ", takes), takes
		histories = append(histories, taken)
	}
	for what, x := range policies() {
		t.Run(what, func(t *testing.T) {
			of := histories
			if !x.rules.Shadow.shadows() {
				of = slices.DeleteFunc(slices.Clone(of), func(a tale) bool { return strings.HasPrefix(a.name, "taken") })
			}
			for _, d := range differences(t, x, false, of) {
				t.Error(d)
			}
		})
	}
}

// TestProposalsReleaseNothing: in the shadow of an application from which nothing is learned no node has a record.
func TestProposalsReleaseNothing(t *testing.T) {
	for _, x := range shadowed() {
		if x.rules.Shadow != ShadowPropose {
			continue
		}
		running(t, func(t *testing.T) {
			w := &twin{rig: newRig(t, x), tale: tale{of: func(i int) (float64, time.Duration) { return float64(i % 2), every / 8 }}}
			w.play(24)
			for _, n := range w.drawn {
				if n.Count(0) > 0 {
					t.Fatalf("%d records are released", n.Count(0))
				}
			}
			if len(w.drawn) == 0 && !x.describes {
				t.Error("no nodes: this shows little")
			}
		})
	}
}

// TestWithProposeNothingShowsDecisions: what a site sends, and its ledger, are the same with more users as without also where counts
// are public.
func TestWithProposeNothingShowsDecisions(t *testing.T) {
	propose := func(w *twin) { w.rules.Shadow, w.rules.MinExposures = ShadowPropose, 0 }
	for _, found := range presence(t, stated, dp.ReplaceOne, nil, 0, tale{visitors: 30}, propose) {
		if strings.Contains(found, ": frame ") || strings.Contains(found, ": ledger line ") || strings.Contains(found, "of what is a") {
			t.Error(found)
		}
	}
}

// TestPresenceInTheShadowLooksTheSame: with noised counts, a site from whose application the peer learns, or one whose application draws
// from tables, shows the same with more users as without.
func TestPresenceInTheShadowLooksTheSame(t *testing.T) {
	t.Parallel()
	n := 0
	for _, e := range papers.All() {
		if !protocol.TraitsOf(e).NoisedCounts {
			continue
		}
		for _, l := range []bandit.Params{bandit.ThompsonParams{Inflation: math.Sqrt2}, bandit.MEDParams{}, learner.UCBParams{}} {
			for what, change := range map[string]func(*twin){
				"learn":    func(w *twin) { w.rules.Shadow = ShadowLearn },
				"propose":  func(w *twin) { w.rules.Shadow = ShadowPropose },
				"tables":   func(w *twin) { w.tables = true },
				"baseline": func(w *twin) { w.rules.Baseline, w.rules.BaselineShare = "green", .3 },
			} {
				for _, visit := range []tale{{visitors: 1}, {visitors: 30}} {
					if found := presence(t, e.Words().Name, dp.AddOrRemove, l, .2, visit, change); len(found) > 0 {
						t.Errorf("%s, %s, %s, %d: %s", e.Words().Name, l.Words().Name, what, visit.visitors, found)
					}
					n++
				}
			}
		}
	}
	if n == 0 {
		t.Error("no protocol")
	}
	if found := presence(t, stated, dp.AddOrRemove, nil, 0, tale{visitors: 30}, func(w *twin) { w.rules.Baseline = "green" }, func(w *twin) {
		if w.visitors > 0 {
			w.rules.BaselineShare = .5
		}
	}); len(found) == 0 {
		t.Error("another share shows nothing: the comparison above compares nothing")
	}
}
