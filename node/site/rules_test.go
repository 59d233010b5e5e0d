package site

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// plain is a site without noise, so that a test can read the sums.
func plain(settle Settle) setting {
	x := usual(averaged, settle).repeatable(1)
	x.mechanism = dp.None
	return x
}

func started(t *testing.T, x setting) *rig {
	t.Helper()
	r := newRig(t, x)
	r.start()
	t.Cleanup(func() { r.stop() })
	return r
}

// taken returns how many rewards were observed, and their sum.
func (r *rig) taken() (n uint64, sum float64) {
	r.t.Helper()
	d := r.draft()
	for arm := range r.arms {
		v, c := d.sum(r.t, dp.StreamID(arm), d.newest[arm])
		n += c
		sum += float64(v) / (1 << 20)
	}
	return n, sum
}

// TestWhenARewardIsTakenIn: at its window's end, whether it was reported or not; on arrival, in
// the round after the report.
func TestWhenARewardIsTakenIn(t *testing.T) {
	for _, c := range []struct {
		settle   Settle
		reported time.Duration // after the decision; 0 for never
		round    uint64        // in which it is observed
		sum      float64
	}{
		{AtWindow, every / 8, 4, .75},
		{AtWindow, window, 4, .75},
		{AtWindow, 0, 4, .25},
		{OnArrival, every / 8, 1, .75},
		{OnArrival, every, 2, .75},
		{OnArrival, window, 4, .75},
		{OnArrival, 0, 4, .25},
	} {
		t.Run(fmt.Sprint(c.settle, c.reported), func(t *testing.T) {
			r := started(t, plain(c.settle))
			r.clock.add(every / 2)
			d := r.ask(decision.Ask{})
			if want := epoch().Add(every/2 + window); !d.ExpiresAt.Equal(want) {
				t.Fatalf("expires at %v, want %v", d.ExpiresAt, want)
			}
			at := epoch().Add(every/2 + c.reported)
			for round := range uint64(6) {
				begin := epoch().Add(time.Duration(round) * every)
				if c.reported > 0 && !at.After(begin) {
					r.clock.add(at.Sub(r.clock.Now()))
					r.pay(d.ID, .75)
					c.reported = 0
				}
				r.clock.add(max(0, begin.Sub(r.clock.Now())))
				r.round()
				n, sum := r.taken()
				if want := round >= c.round; (n == 1) != want || want && sum != c.sum {
					t.Fatalf("after round %d, %d rewards of %v are in, want %v from round %d on", round, n, sum, c.sum, c.round)
				}
			}
		})
	}
}

func TestARewardAfterItsWindowIsRefused(t *testing.T) {
	for _, settle := range []Settle{AtWindow, OnArrival} {
		r := started(t, plain(settle))
		d := r.ask(decision.Ask{})
		r.clock.add(window + 1)
		if _, err := r.report(d.ID, .75); refused(t, err) != decision.Expired {
			t.Errorf("%s: %v", settle, err)
		}
		r.rounds(2)
		if n, sum := r.taken(); n != 1 || sum != .25 {
			t.Errorf("%s: %d rewards of %v, want the default", settle, n, sum)
		}
	}
}

// TestAClockThatGoesBackOpensNothingAgain: what was observed at a window's end stays observed,
// though by the clock the window is open again.
func TestAClockThatGoesBackOpensNothingAgain(t *testing.T) {
	for _, settle := range []Settle{AtWindow, OnArrival} {
		r := started(t, plain(settle))
		late, early := r.ask(decision.Ask{}), r.ask(decision.Ask{})
		r.pay(early.ID, .5)
		r.clock.add(6 * every)
		r.round()
		r.clock.add(-6 * every)
		if _, err := r.report(late.ID, .75); refused(t, err) != decision.Expired {
			t.Errorf("%s: a reward is taken for what is settled: %v", settle, err)
		}
		if got := r.pay(early.ID, .5); !got.Duplicate {
			t.Errorf("%s: a reward is taken twice", settle)
		}
		d := r.ask(decision.Ask{}) // is accepted although its round is before the one that ended
		r.pay(d.ID, 1)
		r.rounds(5)
		if n, sum := r.taken(); n != 3 || sum != .25+.5+1 {
			t.Errorf("%s: %d rewards of %v are in, want 3 of 1.75", settle, n, sum)
		}
	}
}

// TestTimesHaveRounds: times before the start, far away and at the edges are in a round.
func TestTimesHaveRounds(t *testing.T) {
	r := started(t, plain(AtWindow))
	for _, c := range []struct {
		at    time.Time
		round uint64
	}{
		{epoch(), 0},
		{epoch().Add(every - 1), 0},
		{epoch().Add(every), 1},
		{epoch().Add(-time.Hour), 0},
		{time.Time{}, 0},
		{epoch().AddDate(-400, 0, 0), 0},
		{epoch().AddDate(400, 0, 0), math.MaxInt64 / uint64(every)},
	} {
		if got := r.s.roundAt(c.at); got != c.round {
			t.Errorf("%v is in round %d, want %d", c.at, got, c.round)
		}
	}
}

// TestASubjectCountsUpToItsCap: more decisions of it are made, but not learned from.
func TestASubjectCountsUpToItsCap(t *testing.T) {
	r := started(t, plain(AtWindow))
	counted := 0
	for i := range 10 {
		asks := make([]decision.Ask, 100)
		for k := range asks {
			asks[k] = decision.Ask{ID: fmt.Sprint(i, k), Subject: "one and the same"}
		}
		var reports []decision.Report
		for _, o := range r.decide(asks...) {
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			if o.Value.Counted {
				counted++
			}
			if o.Value.Counted == (o.Value.Uncounted == decision.OfSubject) {
				t.Errorf("counted %v, because of %q", o.Value.Counted, o.Value.Uncounted)
			}
			reports = append(reports, decision.Report{ID: o.Value.ID, Value: .5})
		}
		for _, o := range r.s.Reward(t.Context(), reports) {
			if o.Err != nil {
				t.Fatal(o.Err)
			}
		}
	}
	other := r.ask(decision.Ask{Subject: "another"})
	if counted != 2 || !other.Counted {
		t.Errorf("%d decisions of one subject count, want 2; one of another: %v", counted, other.Counted)
	}
	r.clock.add(window)
	r.rounds(3)
	if n, _ := r.taken(); n != 3 {
		t.Errorf("%d rewards are in, want 2 of the one and 1 of the other", n)
	}
	r.stop()
	r.start()
	if d := r.ask(decision.Ask{Subject: "one and the same"}); d.Counted {
		t.Error("the cap is forgotten with a restart")
	}
	if n := r.status().Pulls; n[0]+n[1]+n[2] != 3 {
		t.Errorf("%v pulls, want 3: others are no pulls", n)
	}
}

func TestFallbackUntilTheFirstRound(t *testing.T) {
	x := usual(averaged, AtWindow)
	x.rules.Fallback = "blue"
	r := started(t, x)
	for range 5 {
		if d := r.ask(decision.Ask{}); d.Action != "blue" || d.Source != decision.Fallback || d.Propensity != 1 {
			t.Fatalf("%+v, want the fallback", d)
		}
	}
	if d := r.ask(decision.Ask{Exclude: []string{"blue"}}); d.Action == "blue" || d.Source != decision.Initial {
		t.Fatalf("%+v, and the fallback is excluded", d)
	}
	r.round()
	if d := r.ask(decision.Ask{}); d.Source != decision.Initial {
		t.Fatalf("%+v after a round", d)
	}
}

func TestEveryActionIsExposedFirst(t *testing.T) {
	x := usual(stated, AtWindow)
	x.rules.MinExposures = 4
	r := started(t, x)
	got := make(map[string]int)
	for range 4 {
		d := r.ask(decision.Ask{Exclude: []string{"green", "green"}})
		if d.Source != decision.Exposure {
			t.Fatalf("%+v", d)
		}
		got[d.Action]++
	}
	if got["red"] != 2 || got["blue"] != 2 {
		t.Errorf("without green, 4 exposures are %v", got)
	}
	for range 8 {
		if d := r.ask(decision.Ask{}); d.Source != decision.Exposure {
			t.Fatalf("%+v", d)
		}
	}
	if p := r.status().Pulls; p[0] != 4 || p[1] != 4 || p[2] != 4 {
		t.Errorf("exposures %v, want 4 each", p)
	}
	if d := r.ask(decision.Ask{}); d.Source != decision.Initial {
		t.Errorf("%+v after the exposures", d)
	}
}

// TestAnIDIsOneDecision: a repeated ask gets the same decision, also in one batch and after a
// restart; an ask with the same id and other content is refused.
func TestAnIDIsOneDecision(t *testing.T) {
	r := started(t, usual(averaged, AtWindow))
	out := r.decide(decision.Ask{ID: "a", Subject: "s"}, decision.Ask{ID: "a", Subject: "s"}, decision.Ask{ID: "a"}, decision.Ask{ID: "b"})
	first := out[0].Value
	again := first
	again.Repeated = true
	if first.Repeated || out[1].Value != again || out[1].Err != nil || out[3].Err != nil {
		t.Fatalf("%+v", out)
	}
	if refused(t, out[2].Err) != decision.Conflict {
		t.Errorf("another subject in the same batch: %v", out[2].Err)
	}
	check := func() {
		t.Helper()
		if got := r.ask(decision.Ask{ID: "a", Subject: "s"}); got != again {
			t.Errorf("%+v, want %+v", got, again)
		}
		for _, k := range []decision.Ask{
			{ID: "a", Subject: "t"},
			{ID: "a"},
			{ID: "a", Subject: "s", Exclude: []string{first.Action}},
			{ID: "b", Subject: "s"},
		} {
			if got := r.decide(k); refused(t, got[0].Err) != decision.Conflict {
				t.Errorf("%+v: %+v", k, got)
			}
		}
	}
	check()
	r.stop()
	r.start()
	check()
	r.crash()
	r.start()
	check()
	if p := r.status(); p.Pulls[0]+p.Pulls[1]+p.Pulls[2] != 2 || p.Pending != 2 {
		t.Errorf("%+v, want 2 pulls, and both pending", p)
	}
	fresh := r.decide(make([]decision.Ask, 100)...)
	ids := make(map[string]bool)
	for _, o := range fresh {
		ids[o.Value.ID] = true
	}
	if len(ids) != 100 {
		t.Errorf("%d ids of 100 decisions", len(ids))
	}
}

func TestARewardIsOne(t *testing.T) {
	r := started(t, plain(AtWindow))
	d := r.ask(decision.Ask{ID: "a"})
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e-300, math.Nextafter(1, 2), -1, 1e300} {
		if _, err := r.report(d.ID, v); refused(t, err) != decision.Invalid {
			t.Errorf("%v: %v", v, err)
		}
	}
	if _, err := r.report("somebody else's", .5); refused(t, err) != decision.Unknown {
		t.Errorf("another site's id: %v", err)
	}
	out := r.s.Reward(t.Context(), []decision.Report{{ID: "a", Value: bandit.Reward(math.Copysign(0, -1))}, {ID: "a", Value: 0}, {ID: "a", Value: .5}})
	if out[0].Err != nil || out[0].Value.Duplicate || !out[1].Value.Duplicate || refused(t, out[2].Err) != decision.Conflict {
		t.Errorf("%+v", out)
	}
	v, err := r.s.store.Get(store.Decision, []byte("a"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseChoice(v, r.c.shape())
	if err != nil || math.Signbit(float64(c.value)) {
		t.Errorf("minus zero is stored as such (%v)", err)
	}
	r.clock.add(window)
	r.rounds(2)
	if n, sum := r.taken(); n != 1 || sum != 0 {
		t.Errorf("%d rewards of %v, want one of 0", n, sum)
	}
	if got := r.pay("a", 0); !got.Duplicate {
		t.Error("after it was taken in, the report is no duplicate any more")
	}
}

// TestWhatIsPastIsForgotten: an id is remembered for Keep after its window.
func TestWhatIsPastIsForgotten(t *testing.T) {
	r := started(t, usual(stated, AtWindow))
	for i := range 600 { // more than are forgotten in one step
		r.ask(decision.Ask{ID: fmt.Sprint(i)})
	}
	r.pay("0", .5)
	r.clock.add(window)
	r.round()
	r.clock.add(r.rules.Keep - every)
	r.round()
	if got := r.pay("0", .5); !got.Duplicate {
		t.Error("forgotten too early")
	}
	r.clock.add(2 * every)
	r.round()
	for i := range 600 {
		if _, err := r.report(fmt.Sprint(i), .5); refused(t, err) != decision.Unknown {
			t.Fatalf("decision %d: %v", i, err)
		}
	}
	for _, table := range []store.Table{store.Decision, store.Due, store.Past, store.InsidePast, store.Late} {
		if _, ok, err := r.s.store.Last(table); ok || err != nil {
			t.Errorf("table %d is not empty (%v)", table, err)
		}
	}
	if d := r.ask(decision.Ask{ID: "0"}); d.Repeated {
		t.Error("the id is not free again")
	}
}

func TestASimulatedSiteServesNobody(t *testing.T) {
	x := usual(averaged, AtWindow)
	x.world = true
	r := started(t, x)
	if out := r.decide(decision.Ask{}); refused(t, out[0].Err) != decision.Simulated {
		t.Errorf("%+v", out)
	}
	if _, err := r.report("a", 1); refused(t, err) != decision.Simulated {
		t.Error(err)
	}
}

func TestAClosedSiteServesNobody(t *testing.T) {
	r := started(t, usual(averaged, AtWindow))
	r.ask(decision.Ask{ID: "a"})
	r.stop()
	if out := r.decide(decision.Ask{ID: "a"}); refused(t, out[0].Err) != decision.Unavailable {
		t.Errorf("%+v", out)
	}
	if _, err := r.report("a", 1); refused(t, err) != decision.Unavailable {
		t.Error(err)
	}
	r.s.OnRemembered(left, protocol.Checkpoint{Records: 99}, true)
	r.stop() // doing it again is harmless
}

// TestSixtyFourAtOnce: many asks for one id at once all get one decision, and of many reports
// with two values, one value stands and counts once.
func TestSixtyFourAtOnce(t *testing.T) {
	r := started(t, plain(OnArrival))
	for round := range 5 {
		id := fmt.Sprint(round)
		var mu sync.Mutex
		fresh, actions := 0, make(map[decision.Decision]bool)
		codes := make(map[string]int)
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				out := r.decide(decision.Ask{ID: id})
				mu.Lock()
				defer mu.Unlock()
				if d := out[0].Value; out[0].Err == nil {
					if !d.Repeated {
						fresh++
					}
					d.Repeated = false
					actions[d] = true
				}
			})
		}
		all.Wait()
		if fresh != 1 || len(actions) != 1 {
			t.Fatalf("%d decisions %v of one id", fresh, actions)
		}
		for i := range 64 {
			all.Go(func() {
				got, err := r.report(id, float64(i%2))
				mu.Lock()
				defer mu.Unlock()
				codes[fmt.Sprintf("%s %v value %d", refused(t, err), got.Duplicate, i%2)]++
			})
		}
		all.Wait()
		if codes[" false value 0"]+codes[" false value 1"] != 1 || codes[" true value 0"]+codes[" true value 1"] != 31 ||
			codes["conflict false value 0"]+codes["conflict false value 1"] != 32 || len(codes) != 3 {
			t.Fatalf("%v", codes)
		}
	}
	r.clock.add(every)
	r.rounds(3)
	if n, _ := r.taken(); n != 5 {
		t.Errorf("%d rewards are in, want 5", n)
	}
}

// TestADecisionNamesItsUser: where subjects are required, a decision without one is refused before anything of it is stored, whatever the
// site answers; a repeated id from before still gets its decision.
func TestADecisionNamesItsUser(t *testing.T) {
	shadow := usual(averaged, AtWindow)
	shadow.rules.Shadow = ShadowPropose
	for what, x := range map[string]setting{"alone": usual(stated, AtWindow), "by features": usual(byFeatures()[0], AtWindow), "inside": keeping(false), "shadow": shadow} {
		r := newRig(t, x)
		r.start()
		before := r.ask(decision.Ask{ID: "before"})
		r.stop()
		r.rules.Named = true
		r.start()
		if again := r.ask(decision.Ask{ID: "before"}); !again.Repeated || again.Action != before.Action {
			t.Errorf("%s: %+v, want %+v again", what, again, before)
		}
		step := r.s.step
		for _, none := range []decision.Ask{{}, {ID: "anonymous"}} {
			var wrong *decision.Refusal
			if err := r.decide(none)[0].Err; !errors.As(err, &wrong) || wrong.Code != decision.Invalid || wrong.Field != "subject" || !strings.Contains(wrong.Reason, "send an id of the user") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if r.s.step != step {
			t.Errorf("%s: %d steps were made for nobody", what, r.s.step-step)
		}
		if named := r.ask(decision.Ask{ID: "anonymous", Subject: "mary"}); named.Repeated {
			t.Errorf("%s: %+v: the refused one was stored", what, named)
		}
		r.stop()
	}
}

// TestDecisionsOfNobodyAreSaid: those that count, unless their number is hidden. What a subject has over its limit, what is kept and what
// is only proposed is in no release, and not in the numbers.
func TestDecisionsOfNobodyAreSaid(t *testing.T) {
	says := func(r *rig, want string) {
		t.Helper()
		if got := r.status().Users; !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	r := started(t, usual(averaged, AtWindow))
	says(r, "")
	for range 5 {
		r.ask(decision.Ask{Subject: "a user"}) // of whom two count
	}
	says(r, "")
	r.ask(decision.Ask{ID: "nobody"})
	r.ask(decision.Ask{ID: "nobody"})
	says(r, "1 of the last 3 decisions that count named no user, and nothing is promised")

	x := keeping(false)
	r = newRig(t, x)
	r.start()
	r.round()
	r.ask(decision.Ask{Keep: true})
	says(r, "")
	if d := r.ask(decision.Ask{}); d.Kept {
		t.Fatal("it is kept")
	}
	says(r, "1 of the last 1 decisions")
	r.stop()

	x = usual(averaged, AtWindow)
	x.rules.Shadow = ShadowPropose
	r = started(t, x)
	r.ask(decision.Ask{})
	says(r, "")

	x = usual(stated, AtWindow)
	x.adjacency = dp.AddOrRemove
	r = started(t, x)
	r.ask(decision.Ask{})
	says(r, "")
}
