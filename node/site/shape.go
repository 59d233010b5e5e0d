package site

import (
	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// shape bounds the numbers in stored values: the site's arms, the features of an arm, and the
// streams. Values that are written are assumed to be within it.
type shape struct{ arms, features, streams int }

func (s shape) arm(v *state.Visitor, x *bandit.Arm) {
	state.Number(v, x)
	v.Check(int(*x) < s.arms, "arm %d of %d", *x, s.arms)
}

func (s shape) stream(v *state.Visitor, x *dp.StreamID) {
	state.Number(v, x)
	v.Check(int64(*x) < int64(s.streams), "stream %d of %d", *x, s.streams)
}

// armFeatures visits the features of an arm: none, unless the site has some.
func (s shape) armFeatures(v *state.Visitor, x *bandit.Features) {
	n := v.Len(len(*x))
	v.Check(n == s.features, "%d features, want %d", n, s.features)
	if v.Loading() {
		*x = nil
		if n > 0 && v.OK() {
			*x = make(bandit.Features, n)
		}
	}
	for i := range *x {
		v.Float(&(*x)[i])
	}
}
