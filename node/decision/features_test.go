package decision

import (
	"math"
	"testing"
)

func TestShapeNamesTheFieldThatIsWrong(t *testing.T) {
	for _, c := range []struct {
		shape    Shape
		features [][]float64
		field    string // "" if the features fit
		reason   string
	}{
		{Shape{}, nil, "", ""},
		{Shape{Actions: 2}, [][]float64{}, "", ""},
		{Shape{Actions: 2}, [][]float64{{1}, {2}}, "features", "this peer's learner takes no features; leave the field out"},
		{Shape{2, 3, false}, [][]float64{{1, 2, 3}, {0, -1e300, 4}}, "", ""},
		{Shape{2, 2, true}, [][]float64{{1, 0}, {math.Sqrt(.5), -math.Sqrt(.5)}}, "", ""},
		{Shape{2, 2, true}, [][]float64{{1, 0}, {.8, .61}}, "features[1]", "want a sum of squares of at most 1; divide all features by the greatest length that there can be"},
		{Shape{2, 2, true}, [][]float64{{1e200, 0}, {.8, .6}}, "features[0]", "want a sum of squares of at most 1; divide all features by the greatest length that there can be"},
		{Shape{2, 3, true}, nil, "features", "want 2 lists of 3 numbers, one list for each action, in the network's order"},
		{Shape{2, 3, true}, [][]float64{{1, 2, 3}}, "features", "want 2 lists of 3 numbers, one list for each action, in the network's order"},
		{Shape{2, 3, false}, [][]float64{{1, 2, 3}, nil}, "features[1]", "want 3 numbers"},
		{Shape{2, 3, true}, [][]float64{{1, 2, 3, 4}, {1, 2, 3}}, "features[0]", "want 3 numbers"},
		{Shape{2, 1, true}, [][]float64{{1}, {math.NaN()}}, "features[1][0]", "want a finite number"},
		{Shape{2, 1, true}, [][]float64{{math.Inf(-1)}, {1}}, "features[0][0]", "want a finite number"},
	} {
		r := c.shape.Check(c.features)
		if c.field == "" && r == nil {
			continue
		}
		if r == nil || r.Code != Invalid || r.Field != c.field || r.Reason != c.reason {
			t.Errorf("%+v, %v: %+v, want %s: %s", c.shape, c.features, r, c.field, c.reason)
		}
	}
}
