package spread

import (
	"iter"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// Totals are the sums of all releases of every origin's streams: rows of one stream each, and this
// peer's own sums. The newest row of a stream covers all its leaves, so no leaf is counted twice,
// and the next row, or a digest, makes up for a lost one.
type Totals struct {
	agreement
	Window uint64       // number of the window under way, from 0
	Total  []dp.Release // own sums of the window, by part; empty before the first leaf
	Own    []dp.Release // the same with unsent leaves; nil where leaves are sent at once
}

// Batching returns the cadence of batches of decisions that grow, or stay as long as the first.
func Batching(first uint64, growth float64) protocol.Cadence {
	if growth == 0 {
		return protocol.Cadence{Decisions: first, Noun: "batch"}
	}
	return protocol.Cadence{First: first, Growth: growth, Noun: "batch"}
}

// NewTotals returns totals without rows. Its arguments are as for [NewFlood]; the streams are the parts.
func NewTotals(c protocol.Config, row protocol.Kind, pull uint64, check func(*protocol.Message) error) (Totals, error) {
	o, err := newAgreement(c, row, pull, check)
	return Totals{agreement: o, Total: make([]dp.Release, c.Parts)}, err
}

// SumOf returns what a peer has released of a part in the window; nil for nothing.
func (s *Totals) SumOf(p protocol.Peer, part int) *dp.Release {
	if p == s.C.Self { // its row may be out of date after a change of the policy
		x := &s.Total[part]
		if s.Own != nil {
			x = &s.Own[part]
		}
		if x.Empty() {
			return nil
		}
		return x
	}
	if m := s.of(p)[part]; m.Kind() != 0 && windowOf(m.Label()) == s.Window {
		return m.Release(0)
	}
	return nil
}

// AddUp believes of a part the sum of what origins, nil for all, have released of a stream, and the sums of each. Origins
// that take no part in the network do not count.
func (s *Totals) AddUp(b *belief.Belief, part, stream int, origins []bool) {
	b.Sites[part] = b.Sites[part][:0]
	BelieveSum(b, part, func(yield func(*dp.Release) bool) {
		for p := range s.C.Peers() {
			if origins != nil && !origins[p] || !s.C.Member(protocol.Peer(p)) {
				continue
			}
			if x := s.SumOf(protocol.Peer(p), stream); x != nil {
				b.Sites[part] = addSite(b.Sites[part], p, x)
				if !yield(x) {
					return
				}
			}
		}
	})
}

// addSite appends what a peer's site has released, in the memory of earlier sums.
func addSite(sites []belief.Site, peer int, x *dp.Release) []belief.Site {
	var sum []float64
	if n := len(sites); n < cap(sites) {
		sum = sites[:n+1][n].Sum[:0]
	}
	for i := range x.Len() {
		sum = append(sum, x.At(i))
	}
	noise := x.NoiseMoments()
	return append(sites, belief.Site{
		Peer: peer, Sum: sum, N: float64(x.Count(0)),
		LaplaceSumSq: noise.LaplaceSumSq, LaplaceMax: noise.LaplaceMax, GaussVar: noise.GaussVar,
	})
}

// BelieveSum believes of a part the sum of releases.
func BelieveSum(b *belief.Belief, part int, of iter.Seq[*dp.Release]) {
	width := len(b.X) / len(b.SampleVar)
	sums := b.X[part*width:][:width]
	clear(sums)
	n := 0.
	var noise dp.NoiseMoments
	for x := range of {
		for i := range sums {
			sums[i] += x.At(i)
		}
		n += float64(x.Count(0))
		noise = noise.Plus(x.NoiseMoments())
	}
	b.SampleVar[part] = 1 / n // +Inf for none
	SetNoise(&b.Means, part, noise)
}

// Advance adds leaves to own sums, and shows the sums with leaves that have not been shown: when
// they are due and no leaf is held, or at the horizon, after which no leaf comes.
func Advance(own []protocol.Own, sums, shown []dp.Release, due func(part dp.StreamID) bool, show func(part dp.StreamID)) error {
	for i := range own {
		part := own[i].Stream
		if !own[i].Over {
			sum, err := Grown(sums[part], own[i].Leaf)
			if err != nil {
				return err
			}
			sums[part] = sum
		}
		if LeavesOf(&sums[part]) > LeavesOf(&shown[part]) && (own[i].Over || !own[i].Held && due(part)) {
			show(part)
		}
	}
	return nil
}

// Ended reports whether a batch, counted in leaves, has ended since the sum that was shown.
func Ended(batches protocol.Cadence, sum, shown *dp.Release) bool {
	before := LeavesOf(shown)
	return LeavesOf(sum)-before >= batches.Size(before)
}

// Add adds a leaf below the horizon to the own sum, and sends the sum.
func (s *Totals) Add(own *protocol.Own, out *protocol.Outbox) error {
	sum, err := Grown(s.Total[own.Stream], own.Leaf)
	if err != nil {
		return err
	}
	s.Show(own.Stream, sum, out)
	return nil
}

// Show sends the sum of a part over leaves from the first one on.
func (s *Totals) Show(part dp.StreamID, sum dp.Release, out *protocol.Outbox) {
	s.Total[part] = sum
	s.publish(s.closed(), sum, out)
}

// LeavesOf returns how many leaves a sum is over.
func LeavesOf(sum *dp.Release) uint64 {
	over := sum.Span()
	return over.To - over.From
}

// closed returns the number of an own row: the window and the number of leaves in its sums.
func (s *Totals) closed() uint64 {
	n := uint64(0)
	for k := range s.Total {
		n += LeavesOf(&s.Total[k])
	}
	return windowed(s.Window, n)
}

// Forget begins a window.
func (s *Totals) Forget(window uint64) {
	s.Window = window
	clear(s.Total)
}

// Announce sends digests at the end of round t, and rows again that what peers agree on has made
// void.
func (s *Totals) Announce(t protocol.Round, out *protocol.Outbox) {
	for k, row := range s.of(s.C.Self) {
		if row.Kind() == 0 && !s.Total[k].Empty() {
			s.publish(s.closed(), s.Total[k], out)
		}
	}
	s.tick(t, out)
}

// Sound refuses a row other than a sum of width values over leaves of a cadence, with one count.
func (s *Totals) Sound(m *protocol.Message, width int, c protocol.Cadence) error {
	if m.Body() != 1 {
		return m.Refuse("%d sums, want one", m.Body())
	}
	if c.Window == 0 && windowOf(m.Label()) > 0 {
		return m.Refuse("of window %d, and nothing is forgotten", windowOf(m.Label()))
	}
	x := m.Release(0)
	if x.Stream() != m.Label().Stream || x.Len() != width || x.Counts() != 1 || x.Count(0) == 0 || x.Exponent() != dp.GridExponent {
		return m.Refuse("want %d sums of part %d", width, m.Label().Stream)
	}
	if err := Plausible(&s.C.Charge, m, x); err != nil {
		return err
	}
	return PlausibleLeaves(&s.C.Charge, m, x, c)
}

// PlausibleLeaves refuses a sum whose number of draws does not fit its number of records.
func PlausibleLeaves(charge *dp.Charge, m *protocol.Message, x *dp.Release, c protocol.Cadence) error {
	// A life closes its leaves in order, and every leaf has a record and a draw.
	over, n, draws := LeavesOf(x), x.Count(0), uint64(x.Noise().VarianceUnits)
	if !charge.Mechanism.Running() && (draws != over*dp.VarianceScale || over < c.Fewest(n) || over > n) {
		return m.Refuse("%d rewards in %d leaves with %d/%d draws of noise, want %d to %d leaves with a draw each",
			n, over, draws, dp.VarianceScale, c.Fewest(n), n)
	}
	return nil
}

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

// Grown returns the sum of all releases of a stream, from the sum before and its newest leaf: a
// running sum includes earlier leaves.
func Grown(total dp.Release, leaf *dp.Leaf) (dp.Release, error) {
	if total.Empty() || leaf.Sum.Span().From == 0 {
		return leaf.Sum, nil
	}
	return dp.Plus(total, leaf.Sum)
}
