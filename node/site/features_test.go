package site

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// described returns features of every action, which differ by a number.
func (x *setting) described(by float64) (all [][]float64) {
	for k := range x.arms {
		one := make([]float64, x.features)
		for i := range one {
			one[i] = math.Sin(by+float64(k)+float64(i)/8) / math.Sqrt(float64(x.features))
		}
		all = append(all, one)
	}
	return all
}

// contextual is a site that accepts features, though its learner does not use them.
func contextual(settle Settle) setting {
	x := plain(settle)
	x.features = 2
	return x
}

// logged returns the log's records of a kind.
func (r *rig) logged(kind logKind) (all []logRecord) {
	r.t.Helper()
	for e, err := range r.s.store.Scan(store.Log, nil, nil) {
		if err != nil {
			r.t.Fatal(err)
		}
		x, err := parseLogRecord(slices.Clone(e.Value), r.c.shape())
		if err != nil {
			r.t.Fatal(err)
		}
		if x.kind == kind {
			all = append(all, x)
		}
	}
	return all
}

// TestFeaturesStayWithTheirDecision: the features of the chosen arm are stored with the decision
// until its reward comes; the log has no features.
func TestFeaturesStayWithTheirDecision(t *testing.T) {
	x := contextual(OnArrival)
	x.rules.MinExposures = 1
	r := started(t, x)
	want := make(map[string][]float64)
	for i := range 6 {
		ask := decision.Ask{ID: string(rune('a' + i)), Features: r.described(float64(i))}
		d := r.ask(ask)
		arm := slices.Index(r.arms, d.Action)
		want[ask.ID] = ask.Features[arm]
		if d = r.ask(ask); !d.Repeated {
			t.Errorf("%+v", d)
		}
		other := ask
		other.Features = r.described(100)
		if out := r.decide(other); refused(t, out[0].Err) != decision.Conflict {
			t.Errorf("with other features: %+v", out)
		}
		v := require.Value(r.s.store.Get(store.Decision, []byte(ask.ID)))(t)
		c, err := parseChoice(v, r.c.shape())
		if err != nil || !slices.Equal(c.features, want[ask.ID]) || !c.route.In {
			t.Errorf("decision %s is stored with other features (%v)", ask.ID, err)
		}
		chosen := r.logged(logChosen)
		e := chosen[len(chosen)-1]
		if e.learner != (d.Source == decision.Learned || d.Source == decision.Initial) {
			t.Errorf("by the learner: %v", e.learner)
		}
		if n := len(e.bytes()); n > 32 {
			t.Errorf("a choice is logged in %d bytes", n)
		}
	}
	for id := range want {
		r.pay(id, .5)
	}
	r.rounds(2)
	n := 0
	for _, e := range r.logged(logSettled) {
		for _, o := range e.observations {
			n++
			if !slices.ContainsFunc(slices.Collect(maps.Values(want)), func(f []float64) bool { return slices.Equal(f, o.pull.Features) }) || o.pull.Reward != .5 || !o.route.In {
				t.Error("a reward comes in with other features")
			}
		}
	}
	if n != len(want) {
		t.Errorf("%d rewards are logged, want %d", n, len(want))
	}
	r.crash()
	r.start()
}

// visit returns an ask for a decision in a context, with n actions that no other ask has, named
// by i.
func visit(id string, i, n int) decision.Ask {
	ask := decision.Ask{ID: id, Context: []float64{math.Sin(float64(i)) / 2, .5}}
	for k := range n {
		ask.Actions = append(ask.Actions, decision.Action{ID: fmt.Sprint("article ", i+k), Features: []float64{math.Cos(float64(i + k))}})
	}
	return ask
}

// TestActionsOfAnAskComeAndGo: with every protocol of a learner by features, each ask brings one
// to three actions of its own, and the next ask brings others. The answer is one of them, also
// when it is repeated after a crash, and an ask with the same id and other actions is refused.
// Rewards are learned from with the features that the map makes, the log is replayed, and the
// export has the actions' names.
func TestActionsOfAnAskComeAndGo(t *testing.T) {
	for _, name := range byFeatures() {
		t.Run(name, func(t *testing.T) {
			x := usual(name, AtWindow)
			x.inputs = bandit.Inputs{Map: bandit.Interactions, Context: 2, Action: 1}
			if x.inputs.Dim() != x.features {
				t.Fatalf("the map makes %d features, the learner takes %d", x.inputs.Dim(), x.features)
			}
			r := started(t, x)
			chosen, seen := make(map[string]string), make(map[string]bool)
			for i := range 40 {
				id := fmt.Sprint("visit ", i)
				ask := visit(id, i, 1+i%3)
				if i%3 == 2 {
					ask.Exclude = []string{ask.Actions[0].ID}
				}
				d := r.ask(ask)
				k := slices.IndexFunc(ask.Actions, func(a decision.Action) bool { return a.ID == d.Action })
				if k < 0 || slices.Contains(ask.Exclude, d.Action) {
					t.Fatalf("%q is not offered", d.Action)
				}
				chosen[id], seen[d.Action] = d.Action, true
				v := require.Value(r.s.store.Get(store.Decision, []byte(id)))(t)
				c, err := parseChoice(v, r.c.shape())
				if err != nil || !slices.Equal(c.features, x.inputs.Features(ask.Context, ask.Actions[k].Features)) || c.action != d.Action {
					t.Fatalf("%s is stored as another (%v)", id, err)
				}
				r.pay(id, .5)
				if i%7 == 6 {
					r.round()
					r.crash()
					r.start()
				}
				if again := r.ask(ask); !again.Repeated || again.Action != d.Action {
					t.Fatalf("%q, was %q", again.Action, d.Action)
				}
				changed := visit(id, i, 1+i%3)
				changed.Context[0] += .1
				network := decision.Ask{ID: id, Context: ask.Context, Features: [][]float64{{1}, {1}, {1}}}
				excluded := visit(id, i, 3)
				excluded.Exclude = []string{d.Action}
				for field, other := range map[string]decision.Ask{"actions": changed, "features": network, "exclude": excluded} {
					out := r.decide(other)
					if refused(t, out[0].Err) != decision.Conflict || out[0].Err.(*decision.Refusal).Field != field { //nolint:errorlint // it is promised bare
						t.Errorf("%s: %v", field, out[0].Err)
					}
				}
				if out := r.decide(visit(id, i+10, 3)); refused(t, out[0].Err) != decision.Conflict {
					t.Errorf("other actions: %v", out[0].Err)
				}
			}
			if len(seen) < 20 {
				t.Errorf("%d actions are chosen", len(seen))
			}
			for field, ask := range map[string]decision.Ask{
				"exclude[0]": {Context: []float64{1, 0}, Actions: []decision.Action{{ID: "a", Features: []float64{1}}}, Exclude: []string{"red"}},
				"exclude":    {Context: []float64{1, 0}, Actions: []decision.Action{{ID: "a", Features: []float64{1}}}, Exclude: []string{"a"}},
				"actions":    visit("", 0, 4),
				"context":    {Context: []float64{1}, Actions: []decision.Action{{ID: "a", Features: []float64{1}}}},
			} {
				before := r.everything(t)
				out := r.decide(ask)
				if refused(t, out[0].Err) != decision.Invalid || out[0].Err.(*decision.Refusal).Field != field { //nolint:errorlint // it is promised bare
					t.Errorf("%s: %v", field, out[0].Err)
				}
				if r.everything(t) != before {
					t.Errorf("%s: something is stored", field)
				}
			}
			r.clock.add(2 * window)
			r.rounds(3)
			in := 0
			for _, e := range r.logged(logSettled) {
				in += len(e.observations)
			}
			if st := r.status(); in != len(chosen) || st.Pending != 0 {
				t.Errorf("%d rewards are in, and %d decisions wait for theirs", in, st.Pending)
			}
			r.crash()
			r.start()
			reader := DecisionReader{Arms: r.arms, Features: r.features, Streams: r.c.Streams}
			n := 0
			for row, err := range reader.Decisions(r.s.store, r.clock.Now(), func() { t.Error("a window is open") }) {
				if n++; err != nil || row.Name != chosen[row.ID] {
					t.Errorf("%s: %q, was %q (%v)", row.ID, row.Name, chosen[row.ID], err)
				}
			}
			if n == 0 {
				t.Error("no decision is exported")
			}
		})
	}
}

// TestRetiredArmsHaveNoFeatures: if an arm is retired, an ask describes the other arms, and can
// offer only as many actions of its own.
func TestRetiredArmsHaveNoFeatures(t *testing.T) {
	x := usual(byFeatures()[0], AtWindow)
	x.absent, x.describes = []bandit.Arm{1}, false
	r := started(t, x)
	two, three := r.described(1)[:2], r.described(1)
	own := func(features [][]float64) (ask decision.Ask) {
		for i, f := range features {
			ask.Actions = append(ask.Actions, decision.Action{ID: fmt.Sprint("article ", i), Features: f})
		}
		return ask
	}
	seen := make(map[string]int)
	for i := range 40 {
		lists := decision.Ask{ID: fmt.Sprint("lists ", i), Features: two}
		d := r.ask(lists)
		if again := r.ask(lists); !again.Repeated || again.Action != d.Action {
			t.Fatalf("%+v, was %+v", again, d)
		}
		seen[d.Action]++
		seen[r.ask(own(two)).Action]++
		if d := r.ask(own(two[:1])); d.Action != "article 0" {
			t.Errorf("%+v", d)
		}
	}
	if len(seen) != 4 || seen["green"] > 0 {
		t.Errorf("chosen: %v", seen)
	}
	for field, ask := range map[string]decision.Ask{"features": {Features: three}, "actions": own(three)} {
		out := r.decide(ask)
		if refused(t, out[0].Err) != decision.Invalid || out[0].Err.(*decision.Refusal).Field != field { //nolint:errorlint // it is promised bare
			t.Errorf("%s: %v", field, out[0].Err)
		}
	}
}

// TestWithFeaturesNoActionIsTriedForItsPulls: how often an action was chosen follows from earlier users' features.
func TestWithFeaturesNoActionIsTriedForItsPulls(t *testing.T) {
	x := contextual(AtWindow)
	x.rules.MinExposures = 2
	r := newRig(t, x)
	r.open()
	for i := range 4 {
		if d := r.ask(decision.Ask{Features: x.described(float64(i))}); d.Source == decision.Exposure {
			t.Errorf("%+v", d)
		}
	}
}

// TestADecisionByFeaturesIsSmall: with 100 actions of 10 features each, everything that is stored
// of a decision and its reward is less than 1 kB, since only the features of the chosen action
// are stored.
func TestADecisionByFeaturesIsSmall(t *testing.T) {
	x := contextual(AtWindow)
	x.features, x.arms = 10, nil
	for k := range 100 {
		x.arms = append(x.arms, fmt.Sprint("action ", k))
	}
	r := started(t, x)
	const n = 20
	stored := 0
	for i := range n {
		id := fmt.Sprint("visit-", 880_000+i)
		r.ask(decision.Ask{ID: id, Features: r.described(float64(i))})
		r.pay(id, .5)
		v := require.Value(r.s.store.Get(store.Decision, []byte(id)))(t)
		stored += len(id) + len(v)
	}
	r.clock.add(window)
	r.rounds(2)
	for _, kind := range []logKind{logChosen, logSettled} {
		for _, e := range r.logged(kind) {
			e.drawn = nil // from releases
			stored += len(e.bytes())
		}
	}
	if len(r.logged(logChosen)) != n {
		t.Error("choices are logged otherwise")
	}
	if in, _ := r.taken(); in != n {
		t.Errorf("%d rewards are in", in)
	}
	if stored/n > 1000 {
		t.Errorf("%d bytes a decision", stored/n)
	}
	t.Logf("%d bytes a decision", stored/n)
}

// TestAChoiceThatIsNotLearnedFromUpdatesNothing: it is a decision nevertheless.
func TestAChoiceThatIsNotLearnedFromUpdatesNothing(t *testing.T) {
	r := started(t, plain(AtWindow))
	for _, id := range []string{"a", "b"} {
		r.ask(decision.Ask{ID: id})
		r.pay(id, 1)
	}
	v := require.Value(r.s.store.Get(store.Decision, []byte("a")))(t)
	c := require.Value(parseChoice(v, r.c.shape()))(t)
	c.route.In = false // as for a phased learner beyond its quota
	b := r.s.store.Batch()
	b.Set(store.Decision, []byte("a"), c.bytes())
	require.NoError(t, b.Commit())
	r.clock.add(window)
	r.rounds(2)
	if n, sum := r.taken(); n != 1 || sum != 1 {
		t.Errorf("%d rewards of %v are in, want that of the other decision", n, sum)
	}
	if st := r.status(); st.Pending != 0 || st.Pulls[0]+st.Pulls[1]+st.Pulls[2] != 2 {
		t.Errorf("%+v, want 2 pulls and none pending", st)
	}
	if e := r.logged(logSettled); len(e) != 1 || e[0].decisions != 2 || len(e[0].observations) != 1 {
		t.Errorf("%d steps are logged", len(e))
	}
	if got := r.pay("a", 1); !got.Duplicate || got.Counted {
		t.Errorf("%+v", got)
	}
}
