package spread

import (
	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// Fields visits the state.
func (s *Totals) Fields(v *state.Visitor, width int) {
	s.fields(v)
	for _, sums := range [][]dp.Release{s.Total, s.Own} {
		for k := range sums {
			VisitSum(v, &sums[k], k, width)
		}
	}
}

// VisitSum visits an own sum of a part.
func VisitSum(v *state.Visitor, x *dp.Release, part, width int) {
	VisitRelease(v, x)
	if v.Loading() && !x.Empty() && (int(x.Stream()) != part || x.Len() != width || x.Counts() != 1 || x.Count(0) == 0) {
		v.Fail("sum %d is not of part %d", part, part)
		*x = dp.Release{}
	}
}
