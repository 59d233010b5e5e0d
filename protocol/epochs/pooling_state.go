package epochs

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// visit visits the state. A load keeps the reports on the desk that are good.
func (x *pooling) visit(v *state.Visitor, good func(m *protocol.Message) bool) {
	s, d := &x.site, &x.desk
	state.Number(v, &x.round)
	x.visitMeans(v)
	v.Uints(x.belief.Pulls)
	x.visitSums(v)
	v.Bools(s.over)
	v.Uint(&s.leaves)
	state.Number(v, &s.since)
	state.Number(v, &s.asked)
	state.Number(v, &s.due)
	v.Uint(&s.gap)
	arm := uint64(s.arm + 1)
	if v.Uint(&arm); v.Loading() {
		v.Check(arm <= uint64(x.c.Parts), "arm %d of %d", arm, x.c.Parts)
		s.arm = int(min(arm, uint64(x.c.Parts))) - 1
	}
	state.Number(v, &d.began)
	v.Uint(&s.ahead)
	v.Bool(&s.explored)
	v.Bool(&s.late)
	v.Bool(&s.waiting)
	if v.Bool(&s.bound); v.Loading() {
		s.bound = s.bound && arm > 0
	}
	d.visit(v, good)
	x.stale = x.stale || v.Loading()
}

// visitMeans visits the means of all exchanges.
func (x *pooling) visitMeans(v *state.Visitor) {
	n := v.Len(len(x.means))
	for i := 0; i < n && v.OK(); i++ {
		if !v.Loading() {
			spread.VisitMessage(v, &x.means[i])
			continue
		}
		var m protocol.Message
		if spread.VisitMessage(v, &m); m.Kind() != x.ofMeans || m.Label().Seq <= x.number() {
			v.Fail("no means of an exchange after %d", x.number())
			return
		}
		// Signatures are bound to the policy. After a change of the policy other peers would refuse
		// the means.
		if m.Label().Origin == x.origin() && x.checkMeans(&m) == nil && x.c.Press.Authentic(m) {
			x.keep(m)
		}
	}
}

// visitSums visits the own sums.
func (x *pooling) visitSums(v *state.Visitor) {
	for k := range x.site.sums {
		sum := x.site.sums[k]
		if spread.VisitRelease(v, &sum); !v.Loading() {
			continue
		}
		if !sum.Empty() && (int(sum.Stream()) != k || sum.Len() != 1 || sum.Counts() != 1) {
			v.Fail("sum %d is not of arm %d", k, k)
			return
		}
		if x.site.sums[k] = sum; x.byEpoch && !sum.Empty() && sum.Count(0) > 0 {
			x.belief.Own[k] = sum.At(0) / float64(sum.Count(0))
		}
	}
}
