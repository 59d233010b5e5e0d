package dp

import (
	"fmt"

	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/state"
)

// stream is one stream of a [Curator]: its records, its mechanism, and where the mechanism began
// again.
type stream struct {
	accumulator
	charge    *Charge
	layout    mechanism.Layout
	noise     Noise // one term of the charged noise; none without
	sums      bool  // leaves release running sums, not only their own
	mechanism mechanism.Stream
	restarted restarted
	arena     *arena
}

// newStream returns a stream of the charge, which has a design and a layout.
func newStream(id StreamID, c *Charge, d *mechanism.Design, l mechanism.Layout, a *arena) *stream {
	return &stream{
		accumulator: newAccumulator(id, c, c.Leaves), charge: c, layout: l, noise: c.noise(),
		sums: !d.Own, mechanism: l.Open(c.Width()), arena: a,
	}
}

// closed returns how many leaves are closed or abandoned.
func (s *stream) closed() uint64 { return s.restarted.base + s.t }

// checkNext refuses every leaf except the next one.
func (s *stream) checkNext(k uint64) error {
	closed := s.closed()
	if closed >= s.charge.Leaves {
		return ErrHorizon
	}
	if k != closed+1 {
		return fmt.Errorf("%w: leaf %d of stream %d, next is %d", ErrLeaf, k, s.id, closed+1)
	}
	return nil
}

// close ends the next leaf, which must exist, and writes what that releases. What d has recorded,
// if anything, has the width of a sum.
func (s *stream) close(d *drawer, out *Leaf) error {
	s.countLeaf()
	n, w, summed := s.layout.Node(s.noise, s.t), s.width, 0
	if s.sums {
		summed = w
	}
	c := s.shape.counts()
	values, counts := s.arena.values.alloc(w+summed), s.arena.counts.alloc(2*c)
	node, sum := values[:w:w], values[w:]
	d.noise = n.Noise
	records, err := s.mechanism.Close(s.now(), d, node, sum)
	if err != nil {
		return fmt.Errorf("stream %d: %w", s.id, err)
	}
	s.clearLeaf()
	if c > 0 {
		counts[0], counts[1] = records, s.total
	}
	base := s.restarted.base
	out.Node.fill(s.id, Span{From: n.Span.From + base, To: n.Span.To + base}, counts[:c:c], node, n.Noise)
	if !s.sums {
		out.Sum = out.Node
		return nil
	}
	out.Sum.fill(s.id, Span{From: 0, To: s.t + base}, counts[c:2*c:2*c], sum, s.layout.Sum(s.noise, s.t))
	s.restarted.lift(&out.Sum)
	return nil
}

// fill makes an empty Release one on the grid. Setting each field is faster than copying a
// literal.
func (r *Release) fill(s StreamID, over Span, count []uint64, v []int64, noise Noise) {
	r.stream, r.span, r.count, r.v, r.e, r.noise = s, over, count, v, GridExponent, noise
}

// skipTo abandons the leaves up to k; see [Curator.Skip].
func (s *stream) skipTo(k uint64) {
	if k > s.closed() {
		s.restarted.begin(min(k, s.charge.Leaves), s.charge.Leaves)
		s.renew()
	}
}

// renew begins the mechanism again after leaf base, without the records of the open leaf, which a
// lost life may have released.
func (s *stream) renew() {
	s.accumulator = newAccumulator(s.id, s.charge, s.charge.Leaves-s.restarted.base)
	s.mechanism = s.layout.Open(s.width)
}

// fields visits the stream, which must be new when loading.
func (s *stream) fields(v *state.Visitor) {
	s.restarted.fields(v, s.width)
	if v.Check(s.restarted.base <= s.charge.Leaves, "%d leaves given up of %d", s.restarted.base, s.charge.Leaves); !v.OK() {
		return
	}
	if v.Loading() && s.restarted.base > 0 {
		s.renew()
	}
	of := s.charge.charged()
	if s.accumulator.fields(v, of); v.OK() {
		s.mechanism.Fields(v, s.now(), of)
	}
}
