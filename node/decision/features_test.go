package decision

import (
	"math"
	"reflect"
	"testing"

	"peerd.dev/bandit"
)

// own is a shape without a context.
func own(actions, numbers int, bounded bool) Shape {
	return Shape{Actions: actions, Inputs: bandit.Inputs{Action: numbers}, Bounded: bounded}
}

func TestShapeNamesTheFieldThatIsWrong(t *testing.T) {
	const (
		none  = "this peer's learner takes no features; leave the field out"
		large = "want a sum of squares of at most 1; divide all such lists by the greatest norm that there can be"
	)
	lists := func(x ...[]float64) Ask { return Ask{Features: x} }
	offer := func(x ...Action) Ask { return Ask{Actions: append([]Action{}, x...)} }
	with := func(c []float64, a Ask) Ask { a.Context = c; return a }
	outer := Shape{Actions: 3, Inputs: bandit.Inputs{Map: bandit.Outer, Context: 2, Action: 1}, Bounded: true}
	for _, c := range []struct {
		shape  Shape
		ask    Ask
		field  string // "" if the ask fits
		reason string
	}{
		{Shape{}, Ask{}, "", ""},
		{Shape{Actions: 2}, Ask{Features: [][]float64{}}, "", ""},
		{Shape{Actions: 2}, lists([]float64{1}, []float64{2}), "features", none},
		{Shape{Actions: 2}, offer(), "actions", none},
		{Shape{Actions: 2}, offer(Action{"a", nil}), "actions", none},
		{Shape{Actions: 2}, Ask{Context: []float64{1}}, "context", none},
		{own(2, 3, false), lists([]float64{1, 2, 3}, []float64{0, -1e300, 4}), "", ""},
		{own(2, 2, true), lists([]float64{1, 0}, []float64{math.Sqrt(.5), -math.Sqrt(.5)}), "", ""},
		{own(2, 2, true), lists([]float64{1, 0}, []float64{.8, .61}), "features[1]", large},
		{own(2, 2, true), lists([]float64{1e200, 0}, []float64{.8, .6}), "features[0]", large},
		{own(2, 3, true), Ask{}, "features", "want 2 lists of 3 numbers, one list for each action, in the network's order, got 0 lists; or actions, with an id and 3 numbers each"},
		{own(2, 3, true), lists([]float64{1, 2, 3}), "features", "want 2 lists of 3 numbers, one list for each action, in the network's order, got 1 lists; or actions, with an id and 3 numbers each"},
		{own(2, 3, false), lists([]float64{1, 2, 3}, nil), "features[1]", "want 3 numbers, got 0"},
		{own(2, 3, true), lists([]float64{1, 2, 3, 4}, []float64{1, 2, 3}), "features[0]", "want 3 numbers, got 4"},
		{own(2, 1, true), lists([]float64{1}, []float64{math.NaN()}), "features[1][0]", "want a finite number"},
		{own(2, 1, true), lists([]float64{math.Inf(-1)}, []float64{1}), "features[0][0]", "want a finite number"},
		{own(2, 1, true), with([]float64{1}, lists([]float64{1}, []float64{1})), "context", "this peer's learner takes no context; leave the field out"},

		{own(2, 1, true), offer(Action{"new", []float64{1}}), "", ""},
		{own(2, 1, true), offer(Action{"a", []float64{1}}, Action{"b", []float64{-1}}), "", ""},
		{own(2, 1, true), offer(), "actions", "want 1 to 2 actions, as many as the network has at most, got 0"},
		{own(2, 1, true), offer(Action{"a", []float64{1}}, Action{"b", []float64{1}}, Action{"c", []float64{1}}), "actions", "want 1 to 2 actions, as many as the network has at most, got 3"},
		{own(2, 1, true), offer(Action{"a", []float64{1}}, Action{"a", []float64{0}}), "actions[1].id", `"a" is offered twice; want every action once`},
		{own(2, 1, true), offer(Action{"", []float64{1}}), "actions[0].id", "want a name"},
		{own(2, 1, true), offer(Action{"a", []float64{1}}, Action{"b", []float64{1, 0}}), "actions[1].features", "want 1 numbers, got 2"},
		{own(2, 1, true), offer(Action{"a", []float64{1.1}}), "actions[0].features", large},
		{own(2, 1, true), offer(Action{"a", []float64{math.NaN()}}), "actions[0].features[0]", "want a finite number"},
		{own(1, 1, true), Ask{Actions: []Action{{"a", []float64{1}}}, Features: [][]float64{{1}}}, "actions", "want either actions or features, not both"},

		{outer, with([]float64{.6, .8}, offer(Action{"a", []float64{1}})), "", ""},
		{outer, offer(Action{"a", []float64{1}}), "context", "want 2 numbers, got 0"},
		{outer, with([]float64{1, 0, 0}, offer(Action{"a", []float64{1}})), "context", "want 2 numbers, got 3"},
		{outer, with([]float64{1, .1}, offer(Action{"a", []float64{1}})), "context", large},
		{outer, with([]float64{0, math.NaN()}, offer(Action{"a", []float64{1}})), "context[1]", "want a finite number"},
	} {
		r := c.shape.Check(&c.ask)
		if c.field == "" && r == nil {
			continue
		}
		if r == nil || r.Code != Invalid || r.Field != c.field || r.Reason != c.reason {
			t.Errorf("%+v, %v %v: %+v, want %s: %s", c.shape, c.ask.Features, c.ask.Actions, r, c.field, c.reason)
		}
	}
}

// TestBothFormsOfferTheSame: what a learner is offered depends on the numbers, not on the form of
// the ask.
func TestBothFormsOfferTheSame(t *testing.T) {
	s := Shape{Actions: 2, Inputs: bandit.Inputs{Map: bandit.Outer, Context: 2, Action: 1}, Bounded: true}
	a := s.Offered(&Ask{Context: []float64{.5, .25}, Features: [][]float64{{1}, {-.5}}})
	b := s.Offered(&Ask{Context: []float64{.5, .25}, Actions: []Action{{"x", []float64{1}}, {"y", []float64{-.5}}}})
	if want := []bandit.Features{{.5, .25}, {-.25, -.125}}; !reflect.DeepEqual(a, want) || !reflect.DeepEqual(b, want) {
		t.Error("other features")
	}
	if (Shape{Actions: 2}).Offered(&Ask{}) != nil {
		t.Error("features without any")
	}
}
