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
		{Shape{2, 3}, [][]float64{{1, 2, 3}, {0, -1e300, 4}}, "", ""},
		{Shape{2, 3}, nil, "features", "want 2 lists of 3 numbers, one list for each action, in the network's order"},
		{Shape{2, 3}, [][]float64{{1, 2, 3}}, "features", "want 2 lists of 3 numbers, one list for each action, in the network's order"},
		{Shape{2, 3}, [][]float64{{1, 2, 3}, nil}, "features[1]", "want 3 numbers"},
		{Shape{2, 3}, [][]float64{{1, 2, 3, 4}, {1, 2, 3}}, "features[0]", "want 3 numbers"},
		{Shape{2, 1}, [][]float64{{1}, {math.NaN()}}, "features[1][0]", "want a finite number"},
		{Shape{2, 1}, [][]float64{{math.Inf(-1)}, {1}}, "features[0][0]", "want a finite number"},
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
