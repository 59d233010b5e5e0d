package epochs

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// version returns the version of saved states.
func (x *pooling) version() byte {
	if x.levels == 2 {
		return 1
	}
	return 2
}

// Save implements [protocol.Protocol].
func (x *pooling) Save() (protocol.State, error) { return spread.Save(x.version(), x.fields), nil }

// Load implements [protocol.Protocol].
func (x *pooling) Load(saved protocol.State) error {
	err := spread.Load(saved, x.version(), x.fields)
	x.plant()
	return err
}

func (x *pooling) fields(v *state.Visitor) {
	s, d := &x.site, &x.desk
	state.Number(v, &x.round)
	x.visitMeans(v)
	v.Uints(x.belief.Pulls)
	x.visitSums(v)
	v.Bools(s.over)
	v.Uint(&s.leaves)
	state.Number(v, &s.Since)
	state.Number(v, &s.Asked)
	state.Number(v, &s.due)
	v.Uint(&s.gap)
	arm := uint64(s.arm + 1)
	if v.Uint(&arm); v.Loading() {
		v.Check(arm <= uint64(x.c.Parts), "arm %d of %d", arm, x.c.Parts)
		s.arm = int(min(arm, uint64(x.c.Parts))) - 1
	}
	state.Number(v, &d.Began)
	v.Uint(&s.ahead)
	v.Bool(&s.explored)
	v.Bool(&s.late)
	v.Bool(&s.Waiting)
	if v.Bool(&s.bound); v.Loading() {
		s.bound = s.bound && arm > 0
	}
	d.Visit(v, func(i int) {
		v.Uint(&d.Held[i].Seq)
		v.Bool(&d.Reported[i])
	}, x.good)
	for i := range d.Newest {
		if d.Newest[i].Kind() == 0 {
			d.Held[i], d.Reported[i] = protocol.Label{}, false
		}
	}
	x.stale = x.stale || v.Loading()
	if x.levels == 2 {
		state.Number(v, &x.pooled)
	}
}

// good reports whether a saved report is one that this peer pools.
func (x *pooling) good(m *protocol.Message) bool {
	if x.levels == 2 && x.hub.Here() {
		return m.Kind() == sinkPool && x.checkPool(m) == nil
	}
	return (x.levels == 2 || x.hub.Here()) && m.Kind() == x.ofReport && x.checkContent(m) == nil
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
