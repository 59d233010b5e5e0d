package dp

import (
	"encoding/binary"
	"math"
)

// skipper is a stream that can give up leaves.
type skipper interface {
	running
	// skip gives up the leaves up to k, and as many more as it must; see [Door.Skip].
	skip(k uint64)
}

// restarting is a stream of a mechanism that cannot pass over leaves. Where leaves are
// given up it begins the mechanism anew over those that are left, and adds what it
// releases to the last sum that is known: docs/proofs/skip.md.
type restarting struct {
	running         // over the leaves after base
	charge  *Charge // of the stream
	base    uint64  // leaves closed or given up before the newest beginning
	before  prefix  // the sum at base
	last    prefix  // the newest sum
}

// prefix is a sum as it was released.
type prefix struct {
	v     []int64
	count uint64
	noise Noise
}

func newRestarting(t running, c *Charge) *restarting { return &restarting{running: t, charge: c} }

func (s *restarting) closed() uint64 { return s.base + s.running.closed() }

func (s *restarting) due(k uint64) error { return s.in().follows(k, s.closed(), s.charge.Leaves) }

func (s *restarting) close(src *Source, given []int64, out *Leaf) {
	s.running.close(src, given, out)
	if s.base > 0 {
		s.lift(out)
	}
	s.last = prefix{out.Sum.v, out.Sum.count[0], out.Sum.noise}
}

// lift adds what was before to what the newest beginning releases.
func (s *restarting) lift(out *Leaf) {
	arena := s.in().arena
	v, counts := arena.values.take(len(out.Sum.v)), arena.counts.take(1)
	for i, x := range out.Sum.v {
		v[i] = x
		if s.before.v != nil {
			v[i] += s.before.v[i]
		}
	}
	counts[0] = out.Sum.count[0] + s.before.count
	out.Node.span = Span{out.Node.span.From + s.base, out.Node.span.To + s.base}
	out.Sum.span.To += s.base
	out.Sum.v, out.Sum.count, out.Sum.noise = v, counts, out.Sum.noise.plus(s.before.noise)
}

// skip begins anew after leaf k, without the records of the open leaf, which a life that
// was lost may have released.
func (s *restarting) skip(k uint64) {
	if k <= s.closed() {
		return
	}
	s.base, s.before = min(k, s.charge.Leaves), s.last
	for _, x := range s.before.v {
		if x > MaxValue/2 || x < -MaxValue/2 { // no honest sum gets there
			s.base = s.charge.Leaves
		}
	}
	s.renew()
}

// renew makes the stream one that has closed no leaf since base.
func (s *restarting) renew() {
	old := s.in()
	n := newIntake(old.id, s.charge, old.arena)
	n.leaves -= s.base
	s.running = mechanisms[s.charge.Mechanism].open(n, s.charge)
}

// plus returns the noise of two independent sums of one law.
func (n Noise) plus(m Noise) Noise {
	if n.Scale < m.Scale {
		n, m = m, n
	}
	if m.Scale == 0 {
		return n
	}
	ratio := float64(m.Scale) / float64(n.Scale)
	n.Terms += uint32(math.Ceil(float64(m.Terms) * ratio * ratio))
	return n
}

// appendBase encodes what was before the newest beginning, and the newest sum.
func (s *restarting) appendBase(b []byte) []byte {
	b = binary.AppendUvarint(b, s.base)
	return s.last.append(s.before.append(b))
}

// readBase fills a new stream up to where the newest beginning is to be read.
func (s *restarting) readBase(r *reader) {
	s.base = r.uint()
	width := s.charge.Width()
	s.before.read(r, width)
	s.last.read(r, width)
	if s.base > s.charge.Leaves {
		r.fail()
		return
	}
	s.renew()
}

// append encodes a sum, or that there is none.
func (p *prefix) append(b []byte) []byte {
	if p.v == nil {
		return append(b, 0)
	}
	b = append(b, 1, byte(p.noise.Law))
	b = binary.AppendUvarint(b, p.noise.Scale)
	b = binary.AppendUvarint(b, uint64(p.noise.Terms))
	b = binary.AppendUvarint(b, p.count)
	return appendInts(b, p.v)
}

func (p *prefix) read(r *reader, width int) {
	switch r.byte() {
	case 0:
		return
	case 1:
	default:
		r.fail()
		return
	}
	p.noise = Noise{Law: Law(r.byte()), Scale: r.uint()}
	terms := r.uint()
	p.noise.Terms = uint32(terms)
	p.count = r.uint()
	p.v = make([]int64, width)
	r.ints(p.v)
	for _, x := range p.v {
		if !within(x) {
			r.fail()
		}
	}
	if p.noise.check() != nil || terms > math.MaxUint32 || p.count > 1<<62 {
		r.fail()
	}
}
