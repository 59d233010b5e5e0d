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
	"peerd.dev/node/decision"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/site/tables"
	"peerd.dev/protocol/rows"
)

// grown is a site of a network to which blue was added.
func grown(settle Settle) setting {
	x := usual(nameOf(rows.PhasesParams{}), settle)
	x.learner, x.founding = bandit.PersonalizedParams{Price: 20}, 2
	return x
}

// tally counts decisions by what they are, and adds up inverse propensities.
type counted struct {
	sources map[decision.Source]int
	actions map[string]int
	inverse map[string]float64 // by action: 1/p, which adds up to the number of decisions
	square  map[string]float64
	n       int
}

func (c *counted) add(d *decision.Decision) {
	if c.sources == nil {
		c.sources, c.actions = make(map[decision.Source]int), make(map[string]int)
		c.inverse, c.square = make(map[string]float64), make(map[string]float64)
	}
	c.n++
	c.sources[d.Source]++
	c.actions[d.Action]++
	c.inverse[d.Action] += 1 / d.Propensity
	c.square[d.Action] += 1 / (d.Propensity * d.Propensity)
}

// right fails unless the inverse propensities of an action add up to the number of decisions.
func (c *counted) right(t *testing.T, action string) {
	t.Helper()
	n := float64(c.n)
	mean := c.inverse[action] / n
	if dev := math.Sqrt(math.Abs(c.square[action]/n-mean*mean) / n); math.Abs(mean-1) > 5*dev+.002 {
		t.Errorf("%s: inverse propensities have a mean of %.4f, want 1 within %.4f", action, mean, 5*dev)
	}
}

// within fails unless a number of n is a share, within five standard errors.
func within(t *testing.T, what string, got, n int, share float64) {
	t.Helper()
	if dev := math.Sqrt(share * (1 - share) * float64(n)); math.Abs(float64(got)-share*float64(n)) > 5*dev+1 {
		t.Errorf("%s: %d of %d, want a share of %v", what, got, n, share)
	}
}

// TestABaselineKeepsItsShare: with learners that sample and others, exploring and not, the baseline is chosen by its share, all
// propensities are right, and a restart repeats what was done.
func TestABaselineKeepsItsShare(t *testing.T) {
	t.Parallel()
	for _, l := range []bandit.Params{bandit.ThompsonParams{Inflation: math.Sqrt2}, bandit.MEDParams{}, bandit.IMEDParams{}, learner.UCBParams{}} {
		for _, explore := range []float64{0, .3} {
			x := usual(stated, AtWindow).repeatable(3)
			x.learner, x.explore, x.rules.MinExposures = l, explore, 5
			x.rules.Baseline, x.rules.BaselineShare, x.rules.Window = "green", .4, every
			r := newRig(t, x)
			r.start()
			var c counted
			for batch := range 60 {
				all := r.asks(50, fmt.Sprint(batch, "-"), decision.Ask{})
				for i := range all {
					c.add(&all[i])
				}
				r.pays(all, func(d *decision.Decision) float64 { return []float64{.2, .4, .6}[slices.Index(r.arms, d.Action)] })
				if r.round(); batch%20 == 19 {
					r.crash()
					r.start()
				}
			}
			within(t, fmt.Sprintf("%T, explore %v", l, explore), c.sources[decision.Baseline], c.n, .4)
			c.right(t, "green")
			if explore > 0 {
				c.right(t, "red")
				c.right(t, "blue")
			}
			if c.sources[decision.Exposure] == 0 || c.sources[decision.Learned] < c.n/3 {
				t.Errorf("%T: %v", l, c.sources)
			}
			if d := r.ask(decision.Ask{Exclude: []string{"green"}}); d.Source == decision.Baseline || d.Action == "green" {
				t.Errorf("%+v, and the baseline was excluded", d)
			}
			r.stop()
		}
	}
}

// TestABaselineGivesWayToABetterAction: the share ends when own releases show a better action, returns where that is excluded, and also
// after a restart.
func TestABaselineGivesWayToABetterAction(t *testing.T) {
	t.Parallel()
	x := usual(nameOf(rows.PhasesParams{}), OnArrival)
	x.learner = bandit.PersonalizedParams{Price: 20}
	x.mechanism = dp.EachLaplace
	x.rules.Baseline, x.rules.BaselineShare, x.rules.UntilBetter = "red", .5, true
	r := newRig(t, x)
	r.start()
	var before, after counted
	for batch := range 200 {
		c := &before
		if betterThan(0, &offer{}, r.s.present, r.s.belief.bounds) {
			c = &after
		}
		all := r.asks(20, fmt.Sprint(batch, "-"), decision.Ask{})
		for i := range all {
			c.add(&all[i])
		}
		r.pays(all, func(d *decision.Decision) float64 { return []float64{0, 0, 1}[slices.Index(r.arms, d.Action)] })
		r.round()
	}
	within(t, "before", before.sources[decision.Baseline], before.n, .5)
	if after.n < 1000 || before.n < 100 || after.sources[decision.Baseline] > 0 {
		t.Errorf("%d decisions before, %d after, of which %d are the baseline", before.n, after.n, after.sources[decision.Baseline])
	}
	r.crash()
	r.start()
	var here, there counted
	for i := range 200 {
		d := r.ask(decision.Ask{ID: fmt.Sprint("here-", i)})
		here.add(&d)
		d = r.ask(decision.Ask{ID: fmt.Sprint("there-", i), Exclude: []string{"blue"}})
		there.add(&d)
	}
	if here.sources[decision.Baseline] > 0 {
		t.Errorf("after a restart %v", here.sources)
	}
	if got := there.actions["red"]; got < 60 {
		t.Errorf("without the better action the baseline is taken %d times of 200", got)
	}
}

// TestANewActionWaitsToBeNamed: an added action is chosen only for asks that name it, unless settings offer it, and has at most a tenth
// of the decisions while nothing is known of it, also with minimal exposures.
func TestANewActionWaitsToBeNamed(t *testing.T) {
	t.Parallel()
	for _, l := range []bandit.Params{bandit.PersonalizedParams{Price: 20}, bandit.ThompsonParams{Inflation: math.Sqrt2}, bandit.IMEDParams{}} {
		for _, offer := range [][]string{nil, {"blue"}, {OfferAll}} {
			x := grown(AtWindow)
			x.learner, x.rules.MinExposures, x.rules.Offer, x.rules.Window = l, 100, offer, every
			r := newRig(t, x)
			for _, p := range r.net.peers { // so that no other peer reports it
				p.deaf = true
			}
			r.start()
			for batch := range 30 {
				all := r.asks(10, fmt.Sprint("first-", batch, "-"), decision.Ask{Named: []string{"red", "green"}})
				r.pays(all, func(*decision.Decision) float64 { return .5 })
				r.round()
			}
			if b := r.s.agent.Belief(); !b.Known(0) || b.Known(2) {
				t.Fatal("the new action is known before, or nothing is")
			}
			var all, named counted
			for batch := range 15 {
				for _, d := range r.asks(100, fmt.Sprint("all-", batch, "-"), decision.Ask{}) {
					all.add(&d)
				}
				for _, d := range r.asks(100, fmt.Sprint("named-", batch, "-"), decision.Ask{Named: []string{"green", "blue"}}) {
					named.add(&d)
				}
			}
			share := .1
			if offer == nil {
				share = 0
			}
			within(t, fmt.Sprintf("%T, offer %v", l, offer), all.actions["blue"], all.n, share)
			within(t, fmt.Sprintf("%T, named", l), named.actions["blue"], named.n, .1)
			if named.actions["red"] > 0 || named.sources[decision.Exposure] < named.actions["blue"] {
				t.Errorf("%T: %v %v", l, named.actions, named.sources)
			}
			named.right(t, "blue")
			for _, c := range []struct {
				ask         decision.Ask
				code, field string
			}{
				{decision.Ask{Named: []string{"red", "pink"}}, "invalid", "actions[1]"},
				{decision.Ask{Named: []string{"red", "red"}}, "invalid", "actions[1]"},
				{decision.Ask{Named: []string{}}, "invalid", "actions"},
				{decision.Ask{Named: []string{"blue"}, Exclude: []string{"blue"}}, "invalid", "exclude"},
				{decision.Ask{ID: "named-0-0", Named: []string{"red"}}, "conflict", "actions"},
				{decision.Ask{Taken: &decision.Taken{Action: "red", Propensity: 1}}, "invalid", "taken"},
				{decision.Ask{ID: "new", Table: "unknown"}, "expired", "table"},
				{decision.Ask{Table: "unknown"}, "invalid", "id"},
			} {
				out := r.decide(c.ask)
				if refused(t, out[0].Err) != decision.Code(c.code) || out[0].Err.(*decision.Refusal).Field != c.field { //nolint:errorlint // it is promised bare
					t.Errorf("%+v: %v, want %s of %s", c.ask, out[0].Err, c.code, c.field)
				}
			}
			if again := r.ask(decision.Ask{ID: "named-0-0", Named: []string{"blue", "green"}}); !again.Repeated {
				t.Errorf("%+v", again)
			}
			r.crash()
			r.start()
			r.stop()
		}
	}
}

// TestARetiredActionIsNotNamed: a request that names one gets a sentence.
func TestARetiredActionIsNotNamed(t *testing.T) {
	x := usual(stated, AtWindow)
	x.absent = []bandit.Arm{1}
	r := started(t, x)
	out := r.decide(decision.Ask{Named: []string{"red", "green"}})
	if refused(t, out[0].Err) != decision.Invalid || out[0].Err.Error() != `actions[1]: "green" is retired: no peer chooses it any more; leave it out` {
		t.Error(out[0].Err)
	}
}

// shadowed are sites in whose shadow an application may act: with every way to learn from it.
func shadowed() []setting {
	one := usual(stated, AtWindow)
	one.rules.Shadow = ShadowPropose
	two := usual(stated, AtWindow)
	two.rules.Shadow, two.adjacency, two.learner = ShadowLearn, dp.AddOrRemove, bandit.ThompsonParams{Inflation: math.Sqrt2}
	three := usual(byFeatures()[0], AtWindow)
	three.rules.Shadow = ShadowLearn
	four := usual(byFeatures()[0], AtWindow)
	four.rules.Shadow = ShadowPropose
	return []setting{one, two, three, four}
}

// TestAShadowProposes: the answer has what was taken, and what the peer would have chosen, with the probability of what was taken. With
// propose nothing is learned; with learn all is. It holds over crashes, and a retry with something else is refused.
func TestAShadowProposes(t *testing.T) {
	for _, x := range shadowed() {
		t.Run(fmt.Sprint(x.protocol, x.rules.Shadow), func(t *testing.T) {
			x.rules.Window = every
			r := newRig(t, x)
			r.start()
			learns := x.rules.Shadow == ShadowLearn
			agreed, target, n := 0., 0., 0.
			for i := range 300 {
				ask := decision.Ask{ID: fmt.Sprint(i)}
				d := r.ask(ask)
				want := r.takenFor(ask.ID)
				if d.Action != want.Action || d.Propensity != want.Propensity || d.Source != decision.Application || d.Counted != learns || !slices.Contains(r.arms, d.Proposed) {
					t.Fatalf("%+v, want %+v", d, want)
				}
				c, ok, err := (&tx{site: r.s}).find(d.ID)
				if !ok || err != nil || c.proposed != d.Proposed {
					t.Fatal(ok, err)
				}
				if n++; d.Proposed == d.Action {
					agreed++
				}
				if target += c.target; c.target < 0 || c.target > 1+1e-9 {
					t.Fatal(c.target)
				}
				if again := r.ask(ask); !again.Repeated || again.Proposed != d.Proposed || again.Action != d.Action {
					t.Fatalf("%+v, was %+v", again, d)
				}
				if i%40 == 0 {
					for _, other := range []*decision.Taken{{Action: want.Action, Propensity: want.Propensity / 2}, {Action: r.arms[(slices.Index(r.arms, want.Action)+1)%3], Propensity: want.Propensity}} {
						out := r.decide(decision.Ask{ID: ask.ID, Taken: other})
						if refused(t, out[0].Err) != decision.Conflict {
							t.Fatal(out[0].Err)
						}
					}
				}
				r.pay(d.ID, .5)
				if i%10 == 9 {
					r.round()
				}
				if i%100 == 57 {
					r.crash()
					r.start()
				}
			}
			if dev := math.Sqrt(n) * .6; math.Abs(agreed-target) > 4*dev {
				t.Errorf("proposals agree %v times with what was taken, and %v are expected", agreed, target)
			}
			for _, bad := range []*decision.Taken{{Action: "pink", Propensity: 1}, {Action: "red"}, {Action: "red", Propensity: 1.5}, {Action: "red", Propensity: math.NaN()}} {
				if out := r.decide(decision.Ask{Taken: bad}); refused(t, out[0].Err) != decision.Invalid {
					t.Error(out[0].Err)
				}
			}
			if out := r.decide(decision.Ask{Taken: &decision.Taken{Action: "red", Propensity: 1}, Exclude: []string{"red"}}); refused(t, out[0].Err) != decision.Invalid {
				t.Error(out[0].Err)
			}
			if out := r.s.Decide(t.Context(), []decision.Ask{{Features: r.ifDescribed()}}); refused(t, out[0].Err) != decision.Invalid {
				t.Error(out[0].Err)
			}
			if _, err := r.s.Table(t.Context()); refused(t, err) != decision.Invalid {
				t.Error(err)
			}
			entered := 0
			r.rounds(3)
			for _, e := range r.logged(logSettled) {
				entered += len(e.observations)
			}
			if got := r.status(); learns != (got.Released > 0) && (learns || x.adjacency != dp.AddOrRemove) && !learns && len(r.draft().nodes) > 0 && entered > 0 {
				t.Errorf("%d rewards came in, and %d nodes were released", entered, got.Released)
			}
			if learns == (entered == 0) {
				t.Errorf("%d rewards came in", entered)
			}
			r.crash()
			r.start()
		})
	}
}

// ifDescribed returns features, where decisions come with some.
func (r *rig) ifDescribed() [][]float64 {
	if !r.describes {
		return nil
	}
	return r.described(1)
}

// TestTablesAreDrawnFrom: while the site is down an application draws from the newest table; its reports are answered with
// the same actions and propensities, once, after a crash, too.
func TestTablesAreDrawnFrom(t *testing.T) {
	t.Parallel()
	for _, l := range append(learner.All(), learner.UCBParams{}) {
		for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.AddOrRemove} {
			x := usual(stated, AtWindow)
			x.learner, x.adjacency, x.explore, x.rules.Keep = bandit.Small(l), adjacency, .2, time.Hour
			if spec := x.spec(); spec.Check() != nil {
				continue
			}
			t.Run(fmt.Sprint(l.Words().Name, adjacency), func(t *testing.T) { tablesAreDrawnFrom(t, x) })
		}
	}
}

func tablesAreDrawnFrom(t *testing.T, x setting) {
	r := newRig(t, x)
	r.start()
	var lone counted
	spread := make(map[string]float64) // by action: the variance of the sum of inverse propensities, which adds up to the number of decisions
	versions := make(map[string]bool)
	for life := range 8 {
		for i := range 20 {
			d := r.ask(decision.Ask{ID: fmt.Sprint("usual-", life, "-", i)})
			r.pay(d.ID, []float64{.1, .5, .9}[slices.Index(r.arms, d.Action)])
		}
		r.rounds(8)
		r.clock.add(10 * time.Second)
		r.round()
		table, err := r.s.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		versions[table.Version] = true
		sum := uint64(0)
		for _, a := range table.Actions {
			sum += a.Weight
		}
		if sum == 0 || sum > tables.MostWeight || len(table.Actions) != 3 {
			t.Fatalf("weights %v", table.Actions)
		}
		for _, a := range table.Actions {
			spread[a.Name] += 90 * (float64(sum)/float64(a.Weight) - 1)
		}
		if again, err := r.s.Table(t.Context()); err != nil || again.Version != table.Version || !again.MadeAt.Equal(table.MadeAt) {
			t.Fatalf("%+v after %+v (%v)", again, table, err)
		}
		r.crash()
		type answer struct {
			action string
			chance float64
		}
		drawn := make(map[string]answer)
		for i := range 120 {
			id := fmt.Sprint("drawn-", life, "-", i)
			action, chance := table.Draw(id, func(name string) bool { return i%4 > 0 || name != "blue" })
			drawn[id] = answer{action, chance}
		}
		r.start()
		before := r.status()
		for range 2 {
			for i := range 120 {
				id := fmt.Sprint("drawn-", life, "-", i)
				ask := decision.Ask{ID: id, Table: table.Version}
				if i%4 == 0 {
					ask.Exclude = []string{"blue"}
				}
				d := r.ask(ask)
				if d.Action != drawn[id].action || d.Propensity != drawn[id].chance || d.Source != decision.Drawn || d.Model != table.Model || !d.Counted {
					t.Fatalf("%+v, want %v", d, drawn[id])
				}
				if !d.Repeated {
					if i%4 > 0 {
						lone.add(&d)
					}
					r.pay(id, .5)
				}
				if i == 60 && life%2 == 0 {
					r.crash()
					r.start()
				}
			}
		}
		if after := r.status(); x.adjacency == dp.ReplaceOne && after.Pending != before.Pending+120 {
			t.Errorf("%d decisions wait, %d waited, and 120 were reported twice", after.Pending, before.Pending)
		}
		id := fmt.Sprint("drawn-", life, "-1")
		if out := r.decide(decision.Ask{ID: id, Table: table.Version, Exclude: []string{drawn[id].action}}); refused(t, out[0].Err) != decision.Conflict {
			t.Errorf("another exclude: %v", out[0].Err)
		}
		if out := r.decide(decision.Ask{ID: fmt.Sprint("usual-", life, "-0"), Table: table.Version}); out[0].Err == nil && !out[0].Value.Repeated {
			t.Errorf("decided twice: %+v", out[0].Value)
		}
		if out := r.decide(decision.Ask{ID: "nothing", Table: table.Version, Exclude: r.arms}); refused(t, out[0].Err) != decision.Invalid {
			t.Errorf("all excluded: %v", out[0].Err)
		}
	}
	for _, a := range r.arms {
		if dev := math.Sqrt(spread[a]); math.Abs(lone.inverse[a]-float64(lone.n)) > 5*dev {
			t.Errorf("%s: inverse propensities add up to %.1f, want %d within %.1f", a, lone.inverse[a], lone.n, 5*dev)
		}
	}
	if len(versions) < 2 {
		t.Errorf("%d tables", len(versions))
	}
	if kept := r.versions(); len(kept) != len(versions) && (x.adjacency == dp.ReplaceOne || len(kept) < len(versions)) {
		t.Errorf("%d tables are kept of %d", len(kept), len(versions))
	}
}

// TestWhatWasTakenIsInNoStep: the log of a site that only proposes has nothing of what was taken.
func TestWhatWasTakenIsInNoStep(t *testing.T) {
	var steps [][]logRecord
	for takes := range 2 {
		x := shadowed()[0].repeatable(1)
		x.takes = takes
		r := newRig(t, x)
		r.start()
		for i := range 20 {
			r.ask(decision.Ask{ID: fmt.Sprint(i)})
		}
		steps = append(steps, r.logged(logChosen))
		r.stop()
	}
	if len(steps[0]) != 20 || !slices.EqualFunc(steps[0], steps[1], func(a, b logRecord) bool { return a.arm == b.arm && a.chosen == b.chosen }) {
		t.Error("steps differ with what was taken")
	}
}

// TestProposalsCountForNoSubject: after as many proposals as a subject has decisions that count, all of these still do.
func TestProposalsCountForNoSubject(t *testing.T) {
	x := shadowed()[1] // may propose and learn
	x.rules.Shadow = ShadowPropose
	r := newRig(t, x)
	r.start()
	for i := range 2 * int(x.rules.PerSubject) {
		if d := r.ask(decision.Ask{ID: fmt.Sprint("proposed ", i), Subject: "a user"}); d.Counted {
			t.Error("a proposal counts")
		}
	}
	r.stop()
	r.rules.Shadow = ShadowLearn
	r.start()
	for i := range 2 * int(x.rules.PerSubject) {
		if d := r.ask(decision.Ask{ID: fmt.Sprint("learned ", i), Subject: "a user"}); d.Counted != (i < int(x.rules.PerSubject)) {
			t.Errorf("decision %d of a subject counts: %t", i, d.Counted)
		}
	}
}

// TestTheCostOfABaselineIsInItsUnits, which the application chose.
func TestTheCostOfABaselineIsInItsUnits(t *testing.T) {
	x := usual(stated, AtWindow)
	x.rules.Baseline, x.rules.BaselineShare, x.rules.Range = "green", .5, Range{-1, 3}
	r := started(t, x)
	b := lastBelief{Means: []float64{.75, .5, 0}, Samples: []float64{9, 9, 9}}
	if text := r.s.policyNotice(&b); !strings.Contains(text, "costs 0.5 rewards a decision, as red is better") {
		t.Error(text)
	}
}
