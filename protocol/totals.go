package protocol

import (
	"iter"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// totals are what every origin's streams have released in all: rows of one stream each, and
// this peer's own sums. The newest row of a stream stands for all its leaves, so none is ever
// counted twice, and one that was lost is made good by the next, or by a digest.
type totals struct {
	agreement
	window uint64       // number of the window under way, from 0
	total  []dp.Release // own sums of the window, by part; empty before the first leaf
	own    []dp.Release // the same with leaves that are not sent yet; nil where all are sent at once
}

// batching returns the cadence of batches of decisions that grow, or stay as long as the first.
func batching(first uint64, growth float64) Cadence {
	if growth == 0 {
		return Cadence{Decisions: first, Noun: "batch"}
	}
	return Cadence{First: first, Growth: growth, Noun: "batch"}
}

func newTotals(c Config, row Kind, pull uint64, check func(*Message) error) (totals, error) {
	o, err := newAgreement(c, row, pull, check)
	return totals{agreement: o, total: make([]dp.Release, c.Parts)}, err
}

// sumOf returns what a peer has released of a part in the window; nil for nothing.
func (s *totals) sumOf(p Peer, part int) *dp.Release {
	if p == s.c.Self { // its row may be out of date after a change of what peers agree on
		x := &s.total[part]
		if s.own != nil {
			x = &s.own[part]
		}
		if x.Empty() {
			return nil
		}
		return x
	}
	if m := s.of(p)[part]; m.Kind() != 0 && windowOf(m.Label()) == s.window {
		return m.Release(0)
	}
	return nil
}

// addUp believes of a part the sum of what origins, nil for all, have released of a stream.
func (s *totals) addUp(b *belief.Belief, part, stream int, origins []bool) {
	believeSum(b, part, func(yield func(*dp.Release) bool) {
		for p := range s.c.Peers() {
			if origins != nil && !origins[p] {
				continue
			}
			if x := s.sumOf(Peer(p), stream); x != nil && !yield(x) {
				return
			}
		}
	})
}

// believeSum believes of a part the sum of releases.
func believeSum(b *belief.Belief, part int, of iter.Seq[*dp.Release]) {
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
	setNoise(&b.Means, part, noise)
}

// advance adds leaves to own sums, and shows those that have leaves which are not shown yet: when they are
// due and no leaf is held, or at the horizon, after which nothing comes.
func advance(own []Own, sums, shown []dp.Release, due func(part dp.StreamID) bool, show func(part dp.StreamID)) error {
	for i := range own {
		part := own[i].Stream
		if !own[i].Over {
			sum, err := grown(sums[part], own[i].Leaf)
			if err != nil {
				return err
			}
			sums[part] = sum
		}
		if leavesOf(&sums[part]) > leavesOf(&shown[part]) && (own[i].Over || !own[i].Held && due(part)) {
			show(part)
		}
	}
	return nil
}

// ended reports whether a batch, counted in leaves, has ended since the sum that was shown.
func ended(batches Cadence, sum, shown *dp.Release) bool {
	before := leavesOf(shown)
	return leavesOf(sum)-before >= batches.Size(before)
}

// add adds a leaf that did not reach the horizon to those before it, and sends the sum.
func (s *totals) add(own *Own, out *Outbox) error {
	sum, err := grown(s.total[own.Stream], own.Leaf)
	if err != nil {
		return err
	}
	s.show(own.Stream, sum, out)
	return nil
}

// show sends the sum of a part over leaves from the first one on.
func (s *totals) show(part dp.StreamID, sum dp.Release, out *Outbox) {
	s.total[part] = sum
	s.publish(s.closed(), sum, out)
}

// leavesOf returns how many leaves a sum is over.
func leavesOf(sum *dp.Release) uint64 {
	over := sum.Span()
	return over.To - over.From
}

// closed returns the number of a row: that of the window, and how many leaves there are in its sums.
func (s *totals) closed() uint64 {
	n := uint64(0)
	for k := range s.total {
		n += leavesOf(&s.total[k])
	}
	return windowed(s.window, n)
}

// forget begins a window.
func (s *totals) forget(window uint64) {
	s.window = window
	clear(s.total)
}

// tick sends digests at the end of round t, and rows again that what peers agree on has made
// void.
func (s *totals) tick(t Round, out *Outbox) {
	for k, row := range s.of(s.c.Self) {
		if row.Kind() == 0 && !s.total[k].Empty() {
			s.publish(s.closed(), s.total[k], out)
		}
	}
	s.agreement.tick(t, out)
}

// sound refuses a row that is no sum of a number of values over leaves of a cadence, with one
// count.
func (s *totals) sound(m *Message, width int, c Cadence) error {
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
	if err := plausible(&s.c.Charge, m, x); err != nil {
		return err
	}
	return plausibleLeaves(&s.c.Charge, m, x, c)
}

// plausibleLeaves refuses a sum of other draws than leaves have that hold as many records.
func plausibleLeaves(charge *dp.Charge, m *Message, x *dp.Release, c Cadence) error {
	// A life closes its leaves one after the other, and every leaf has a record and draws.
	over, n, draws := leavesOf(x), x.Count(0), uint64(x.Noise().VarianceUnits)
	if !charge.Mechanism.Running() && (draws != over*dp.VarianceScale || over < c.Fewest(n) || over > n) {
		return m.Refuse("%d rewards in %d leaves with %d/%d draws of noise, want %d to %d leaves with a draw each",
			n, over, draws, dp.VarianceScale, c.Fewest(n), n)
	}
	return nil
}

func (s *totals) fields(v *state.Visitor, width int) {
	s.agreement.fields(v)
	for _, sums := range [][]dp.Release{s.total, s.own} {
		for k := range sums {
			visitSum(v, &sums[k], k, width)
		}
	}
}

// visitSum visits an own sum of a part.
func visitSum(v *state.Visitor, x *dp.Release, part, width int) {
	visitRelease(v, x)
	if v.Loading() && !x.Empty() && (int(x.Stream()) != part || x.Len() != width || x.Counts() != 1 || x.Count(0) == 0) {
		v.Fail("sum %d is not of part %d", part, part)
		*x = dp.Release{}
	}
}

// grown returns what a stream has released in all, from what it had and what its newest leaf
// has: a running sum holds what was before.
func grown(total dp.Release, leaf *dp.Leaf) (dp.Release, error) {
	if total.Empty() || leaf.Sum.Span().From == 0 {
		return leaf.Sum, nil
	}
	return dp.Plus(total, leaf.Sum)
}
