package site

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

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

// contextual is a site that takes features, though its learner makes nothing of them.
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

// TestFeaturesAreChecked: they have the shape that the learner wants, or the decision is not
// made, and nothing is stored.
func TestFeaturesAreChecked(t *testing.T) {
	for _, c := range []struct {
		numbers  int
		features [][]float64
		field    string
	}{
		{0, [][]float64{{1}, {2}, {3}}, "features"},
		{2, nil, "features"},
		{2, [][]float64{{1, 2}, {3, 4}}, "features"},
		{2, [][]float64{{.1, .2}, {.3, .4}, {.5}}, "features[2]"},
		{2, [][]float64{{.1, .2}, {.3, math.NaN()}, {.5, .6}}, "features[1][1]"},
		{2, [][]float64{{.1, .2}, {.3, .4}, {.8, .61}}, "features[2]"},
		{2, [][]float64{{math.Inf(1), 2}, {3, 4}, {5, 6}}, "features[0][0]"},
	} {
		x := contextual(AtWindow)
		x.features = c.numbers
		r := started(t, x)
		before := r.everything(t)
		out := r.decide(decision.Ask{ID: "a", Features: c.features})
		if refused(t, out[0].Err) != decision.Invalid || out[0].Err.(*decision.Refusal).Field != c.field { //nolint:errorlint // it is promised bare
			t.Errorf("%d numbers, %v: %v", c.numbers, c.features, out[0].Err)
		}
		if r.everything(t) != before {
			t.Errorf("%d numbers, %v: something is stored", c.numbers, c.features)
		}
	}
}

// TestFeaturesStayWithTheirDecision: those of the chosen arm wait for the reward with it; none
// are logged with the choice.
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
		v, err := r.s.store.Get(store.Decision, []byte(ask.ID))
		if err != nil {
			t.Fatal(err)
		}
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

// TestADecisionByFeaturesIsSmall: of 100 actions with 10 features each, what is stored of a decision and
// its reward, in the log and beside it, is less than 1 kB, since it has the features of the chosen
// action alone.
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
		v, err := r.s.store.Get(store.Decision, []byte(id))
		if err != nil {
			t.Fatal(err)
		}
		stored += len(id) + len(v)
	}
	r.clock.add(window)
	r.rounds(2)
	for _, kind := range []logKind{logChosen, logSettled} {
		for _, e := range r.logged(kind) {
			e.drawn = nil // of releases
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

// TestAChoiceThatIsNotLearnedFromUpdatesNothing: it is a decision all the same.
func TestAChoiceThatIsNotLearnedFromUpdatesNothing(t *testing.T) {
	r := started(t, plain(AtWindow))
	for _, id := range []string{"a", "b"} {
		r.ask(decision.Ask{ID: id})
		r.pay(id, 1)
	}
	v, err := r.s.store.Get(store.Decision, []byte("a"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseChoice(v, r.c.shape())
	if err != nil {
		t.Fatal(err)
	}
	c.route.In = false // as a phased learner has it beyond its quota
	b := r.s.store.Batch()
	b.Set(store.Decision, []byte("a"), c.bytes())
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
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
