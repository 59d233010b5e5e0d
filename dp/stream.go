package dp

import (
	"fmt"

	"peerd.dev/dp/state"
)

// stream is one stream of a [Curator]: its records, its mechanism, and where the mechanism
// began again.
type stream struct {
	accumulator
	charge    *Charge
	layout    layout
	noise     Noise // one term of the charged noise; none without
	sums      bool  // leaves release running sums, not their own alone
	mechanism streamMechanism
	restarted restarted
	arena     *arena
}

// streamMechanism turns the leaves of one stream into numbers to release. It draws all
// its noise in close, once, and keeps what it drew:
//
//   - What close draws are the numbers in node: exact ones, with noise from the [drawer], or
//     what an earlier life drew. The exact ones must follow from the records by integer
//     arithmetic alone, so that neighbouring records change them by no more than the charge
//     paid for. A mechanism that needs more than sums, such as decaying buffers, keeps them as
//     integers with enough bits behind the point, and bounds in its slack what rounding can add.
//   - The running sum follows from nodes alone. It may be computed in floats whose result is
//     the same on every machine (no fused multiplication and addition: wrap every product in
//     float64()), and is rounded to the grid.
//
// One mechanism, [kary], also draws noise that is in no node alone, which [Curator.Hidden] has.
//
// Which leaves a node and a sum are about, and the noise in them, are in the mechanism's
// [layout], for the Curator and for those who check a charge alike.
//
// Saving and loading keep everything: a loaded stream goes on as if it had never been
// saved. What no stream can be must be refused.
type streamMechanism interface {
	// close takes in leaf a.t, whose exact sums are a.leaf, and fills node, of the length that
	// the layout says, and sum, of a.width numbers, or of none where the node is the sum. It
	// returns how many records are under the node. After an error, which is an [ErrReplay], the
	// stream is of no use.
	close(a *accumulator, d *drawer, node, sum []int64) (records uint64, err error)
	// fields visits everything that the accumulator does not hold, in a new mechanism when
	// loading.
	fields(v *state.Visitor, a *accumulator, c *Charge)
}

// newStream returns a stream of the charge, which has a design and a layout.
func newStream(id StreamID, c *Charge, d *design, l layout, a *arena) *stream {
	return &stream{
		accumulator: newAccumulator(id, c, c.Leaves), charge: c, layout: l, noise: c.noise(),
		sums: d.mode == Once, mechanism: l.open(c.Width(), a), arena: a,
	}
}

// closed returns how many leaves are closed or given up.
func (s *stream) closed() uint64 { return s.restarted.base + s.t }

// checkNext refuses every leaf but the next one.
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

// noiseLen returns how many numbers closing the next leaf draws.
func (s *stream) noiseLen() int { return s.layout.node(s.noise, s.t+1).times * s.width }

// close ends the next leaf, which must be there, and writes what that releases. What d has
// recorded, if anything, are noiseLen numbers.
func (s *stream) close(d *drawer, out *Leaf) error {
	s.countLeaf()
	n := s.layout.node(s.noise, s.t)
	drawn, summed := n.times*s.width, s.width
	if !s.sums {
		summed = 0
	}
	c := s.shape.counts()
	values, counts := s.arena.values.alloc(drawn+summed), s.arena.counts.alloc(2*c)
	node, sum := values[:drawn:drawn], values[drawn:]
	d.noise = n.noise
	records, err := s.mechanism.close(&s.accumulator, d, node, sum)
	if err != nil {
		return err
	}
	s.clearLeaf()
	if c > 0 {
		counts[0], counts[1] = records, s.total
	}
	base := s.restarted.base
	out.Node.fill(s.id, Span{n.span.From + base, n.span.To + base}, counts[:c:c], node, n.noise)
	if !s.sums {
		out.Sum = out.Node
		return nil
	}
	out.Sum.fill(s.id, Span{0, s.t + base}, counts[c:2*c:2*c], sum, s.layout.sum(s.noise, s.t))
	s.restarted.lift(&out.Sum)
	return nil
}

// fill makes an empty Release one on the grid. Field by field it takes less time than
// a literal, which is copied.
func (r *Release) fill(s StreamID, over Span, count []uint64, v []int64, noise Noise) {
	r.stream, r.span, r.count, r.v, r.e, r.noise = s, over, count, v, GridExponent, noise
}

// skipTo gives up the leaves up to k; see [Curator.Skip].
func (s *stream) skipTo(k uint64) {
	if k > s.closed() {
		s.restarted.begin(min(k, s.charge.Leaves), s.charge.Leaves)
		s.renew()
	}
}

// renew begins the mechanism again after leaf base, without the records of the open leaf,
// which a life that was lost may have released.
func (s *stream) renew() {
	s.accumulator = newAccumulator(s.id, s.charge, s.charge.Leaves-s.restarted.base)
	s.mechanism = s.layout.open(s.width, s.arena)
}

// fields visits the stream, a new one when loading.
func (s *stream) fields(v *state.Visitor) {
	s.restarted.fields(v, s.width)
	if v.Check(s.restarted.base <= s.charge.Leaves, "%d leaves given up of %d", s.restarted.base, s.charge.Leaves); !v.OK() {
		return
	}
	if v.Loading() && s.restarted.base > 0 {
		s.renew()
	}
	if s.accumulator.fields(v, s.charge); v.OK() {
		s.mechanism.fields(v, &s.accumulator, s.charge)
	}
}
