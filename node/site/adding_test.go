package site

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// reporter is a site whose reports can be checked in a line.
type reporter struct{ *rig }

func reporting(t *testing.T, adding Adding, settle Settle, of Range) reporter {
	t.Helper()
	x := usual(stated, settle).repeatable(1)
	x.mechanism = dp.None
	x.rules.Adding, x.rules.Range, x.rules.Keep = adding, of, time.Hour
	return reporter{started(t, x)}
}

// says reports, and returns "new", "duplicate" or the refusal.
func (r reporter) says(report decision.Report) string {
	r.t.Helper()
	out := r.s.Reward(r.t.Context(), []decision.Report{report})[0]
	refusal := new(decision.Refusal)
	switch {
	case errors.As(out.Err, &refusal):
		return fmt.Sprintf("%s: %s", refusal.Code, refusal.Reason)
	case out.Err != nil:
		r.t.Fatal(out.Err)
	case out.Value.Duplicate:
		return "duplicate"
	}
	return "new"
}

// expect checks what is said to reports, in order: an answer, or how a refusal begins or ends.
func (r reporter) expect(steps ...any) {
	r.t.Helper()
	for i := 0; i < len(steps); i += 2 {
		report, want := steps[i].(decision.Report), steps[i+1].(string)
		if got := r.says(report); !strings.HasPrefix(got, want) && !strings.HasSuffix(got, want) {
			r.t.Errorf("report %d (part %q, end %v) is answered with %q, want %q", i/2, report.Part, report.End, got, want)
		}
	}
}

// logged returns the decisions of the store as an export has them.
func (r reporter) logged() map[string]Logged {
	r.t.Helper()
	all := make(map[string]Logged)
	reader := DecisionReader{Arms: r.arms, Streams: r.c.Streams, Default: r.rules.Default, Range: r.rules.Range}
	for d, err := range reader.Decisions(r.s.store, r.clock.Now(), func() {}) {
		if err != nil {
			r.t.Fatal(err)
		}
		all[d.ID] = d
	}
	return all
}

// TestTheFirstStands: another value is refused, and an end without a value counts as the default.
func TestTheFirstStands(t *testing.T) {
	r := reporting(t, First, AtWindow, Range{})
	for _, id := range []string{"a", "b", "c"} {
		r.ask(decision.Ask{ID: id})
	}
	one, end := decision.Report{ID: "a", Value: 1}, decision.Report{ID: "b", End: true, Empty: true}
	both := decision.Report{ID: "c", Value: .5, End: true}
	r.expect(
		one, "new", one, "duplicate", decision.Report{ID: "a", Value: .5}, "conflict: another value was reported before and stands",
		decision.Report{ID: "a", End: true, Empty: true}, "duplicate",
		end, "new", end, "duplicate", decision.Report{ID: "b", Value: 1}, "expired: the application ended the window",
		both, "new", both, "duplicate", decision.Report{ID: "c", Value: .5}, "duplicate", decision.Report{ID: "c", Value: 1}, "conflict",
		decision.Report{ID: "a", Value: 1.5}, "invalid: want a number from 0 to 1",
		decision.Report{ID: "a", Value: bandit.Reward(math.NaN())}, "invalid",
		decision.Report{ID: "a", Value: 1, Part: "x"}, "invalid: want none unless rewards of a decision add up",
	)
	r.clock.add(window + every)
	r.rounds(2)
	if all := r.logged(); all["a"].Reward != 1 || all["b"].Reward != .25 || all["b"].Rewarded || all["c"].Reward != .5 {
		t.Error("the outcomes are other ones")
	}
}

// TestTheLastReplaces: until the window ends, by time or by name.
func TestTheLastReplaces(t *testing.T) {
	r := reporting(t, Last, AtWindow, Range{-1, 3})
	r.ask(decision.Ask{ID: "a"})
	r.ask(decision.Ask{ID: "b"})
	r.expect(
		decision.Report{ID: "a", Value: 3}, "new", decision.Report{ID: "a", Value: -1}, "new", decision.Report{ID: "a", Value: -1}, "duplicate",
		decision.Report{ID: "a", Value: 4}, "invalid: want a number from -1 to 3",
		decision.Report{ID: "b", Value: 1}, "new", decision.Report{ID: "b", Value: 2, End: true}, "new", decision.Report{ID: "b", Value: 2, End: true}, "duplicate",
		decision.Report{ID: "b", Value: 3}, "expired: the application ended the window",
	)
	r.clock.add(window + every)
	r.expect(decision.Report{ID: "a", Value: 3}, "what was reported before stands", decision.Report{ID: "a", Value: -1}, "duplicate")
	r.rounds(2)
	if all := r.logged(); all["a"].Reward != -1 || all["b"].Reward != 2 || all["a"].Late == 0 || all["b"].Late != 0 {
		t.Error("the outcomes are other ones")
	}
}

// TestReportsAddUp: each once, up to 64 of them, and the sum is in the range.
func TestReportsAddUp(t *testing.T) {
	r := reporting(t, Sum, AtWindow, Range{-1, 1})
	for _, id := range []string{"a", "many", "high"} {
		r.ask(decision.Ask{ID: id})
	}
	of := func(id, part string, value bandit.Reward) decision.Report {
		return decision.Report{ID: id, Part: part, Value: value}
	}
	r.expect(
		of("a", "click", .25), "new", of("a", "click", .25), "duplicate", of("a", "click", .5), "conflict",
		of("a", "sale", .5), "new", of("a", "return", -.125), "new", of("a", "", 1), "invalid: want an id of this report",
		of("high", "1", 1), "new", of("high", "2", 1), "new",
		decision.Report{ID: "a", End: true, Empty: true}, "new", of("a", "sale", .5), "duplicate", of("a", "more", .5), "expired: the application",
	)
	for i := range mostParts {
		r.expect(of("many", fmt.Sprint(i), bandit.Reward(1-i%2*2)/4), "new")
	}
	r.expect(of("many", "x", .5), "invalid: 64 reports of this decision are in its sum", of("many", "7", -.25), "duplicate")
	r.stop()
	r.start()
	r.expect(of("many", "y", .5), "invalid: 64 reports", of("a", "click", .25), "duplicate", of("high", "2", 1), "duplicate")
	r.clock.add(window + every)
	r.rounds(4)
	all := r.logged()
	if all["a"].Reward != .625 || all["many"].Reward != 0 || all["high"].Reward != 1 {
		t.Error("the sums are other ones")
	}
	d, released := r.draft(), int64(0)
	for arm := range r.arms {
		sum, _ := d.sum(t, dp.StreamID(arm), d.newest[dp.StreamID(arm)])
		released += sum
	}
	want, err := dp.Quantize((1.625+1+2)/2, 0, 3)
	if err != nil || released != want {
		t.Errorf("what is released adds up to %d units, want %d (%v)", released, want, err)
	}
}

// TestWhenAnEndIsSeen: with settle window, when the window would have ended; with arrival in the next round, which otherwise
// holds for the first report alone.
func TestWhenAnEndIsSeen(t *testing.T) {
	for _, c := range []struct {
		adding Adding
		settle Settle
		report decision.Report
		soon   bool
	}{
		{First, AtWindow, decision.Report{Value: 1, End: true}, false},
		{First, OnArrival, decision.Report{Value: 1}, true},
		{First, OnArrival, decision.Report{End: true, Empty: true}, true},
		{Last, AtWindow, decision.Report{Value: 1, End: true}, false},
		{Last, OnArrival, decision.Report{Value: 1}, false},
		{Last, OnArrival, decision.Report{Value: 1, End: true}, true},
		{Sum, AtWindow, decision.Report{Value: 1, Part: "1", End: true}, false},
		{Sum, OnArrival, decision.Report{Value: 1, Part: "1"}, false},
		{Sum, OnArrival, decision.Report{End: true, Empty: true}, true},
	} {
		r := reporting(t, c.adding, c.settle, Range{})
		c.report.ID = r.ask(decision.Ask{}).ID
		r.expect(c.report, "new")
		r.rounds(2)
		if pending := r.status().Pending; (pending == 0) != c.soon {
			t.Errorf("%s, %s, value %v, end %v: %d wait after two rounds", c.adding, c.settle, !c.report.Empty, c.report.End, pending)
		}
		r.expect(c.report, "duplicate")
	}
}

// TestLateReportsAreNoted: once, at their decision, whether it is settled yet or not, and a note is forgotten with it.
func TestLateReportsAreNoted(t *testing.T) {
	r := reporting(t, First, AtWindow, Range{})
	for _, id := range []string{"a", "b", "in time"} {
		r.ask(decision.Ask{ID: id})
	}
	r.pay("in time", 1)
	r.clock.add(window + time.Millisecond)
	const lost = "it counts as the default reward"
	r.expect(decision.Report{ID: "a", Value: 1}, lost)
	r.clock.add(every)
	r.rounds(2)
	r.expect(decision.Report{ID: "a", Value: 1}, lost, decision.Report{ID: "b", Value: 1}, lost, decision.Report{ID: "b", End: true, Empty: true}, lost)
	r.expect(decision.Report{ID: "in time", Value: 0}, "conflict")
	r.stop()
	r.start()
	r.rounds(2)
	all := r.logged()
	if a, b := all["a"].Late, all["b"].Late; a <= 0 || a >= every || b < every || all["in time"].Late != 0 {
		t.Errorf("late by %v, %v and %v", a, b, all["in time"].Late)
	}
	r.clock.add(time.Hour)
	r.rounds(2)
	if _, ok, err := r.s.store.Last(store.Late); ok || err != nil {
		t.Errorf("a note is there after its decision is forgotten (%v)", err)
	}
}

// TestARangeScales: its ends become 0 and 1, and a mean comes back in the application's units.
func TestARangeScales(t *testing.T) {
	for _, c := range []struct {
		of              Range
		value, observed float64
	}{
		{Range{}, .3, .3},
		{Range{0, 1}, 2, 1},
		{Range{-1, 1}, -1, 0},
		{Range{-1, 1}, 1, 1},
		{Range{-1, 1}, .5, .75},
		{Range{-1, 1}, 7, 1},
		{Range{0, 40}, 10, .25},
		{Range{-3, -1}, -2.5, .25},
		{Range{1, 5}, 2, .25},
	} {
		if got := float64(c.of.observed(bandit.Reward(c.value))); got != c.observed {
			t.Errorf("%v of %v is observed as %v, want %v", c.value, c.of, got, c.observed)
		}
		if back := c.of.Mean(c.observed); back != float64(c.of.Clip(bandit.Reward(c.value))) {
			t.Errorf("%v of %v comes back as %v", c.value, c.of, back)
		}
	}
	if w := (Range{-1, 3}).Width(); w != 4 {
		t.Error(w)
	}
}

// TestNoReportMovesMoreThanOne: whatever the range that settings allow, and whatever is reported or added up, what is observed is from 0 to
// 1, and another report moves a record no more than the charge assumes.
func TestNoReportMovesMoreThanOne(t *testing.T) {
	const tiny = math.SmallestNonzeroFloat64
	values := []float64{0, tiny, -tiny, 1, 1e-300, 1e9, -1e9, 64e9, -64e9, 1e300, -math.MaxFloat64, math.Inf(1), math.Inf(-1)}
	for _, r := range []Range{{}, {0, tiny}, {-tiny, tiny}, {0, 1e-300}, {1, math.Nextafter(1, 2)}, {-1e9, 1e9}, {1e9 - 1e-7, 1e9}, {-1e300, 1e300}} {
		for _, v := range values {
			if got := r.observed(bandit.Reward(v)); !(got >= 0 && got <= 1) {
				t.Errorf("%v of %v is observed as %v", v, r, got)
			}
			if rules := (Rules{Range: r, Adding: First}); (rules.check(&decision.Report{ID: "a", Value: bandit.Reward(v)}) == nil) != r.Has(v) {
				t.Errorf("%v of %v: %v", v, r, r.Has(v))
			}
		}
		low, high := r.Ends()
		if r.observed(bandit.Reward(low)) != 0 || r.observed(bandit.Reward(high)) != 1 || r.Has(math.NaN()) {
			t.Errorf("ends of %v", r)
		}
	}
}
