package dp

import (
	"encoding/binary"
	"math"
)

// restarted is where a stream's mechanism began again after leaves that were given up. It runs
// over the leaves that were left then, and what it releases is added to the last sum that was
// known: docs/proofs/skip.md.
type restarted struct {
	base   uint64 // leaves closed or given up before the newest beginning
	before prefix // the sum at base
	last   prefix // the newest sum
}

// prefix is a sum as it was released.
type prefix struct {
	v     []int64
	count uint64
	noise Noise
}

// begin notes a beginning after leaf base, on top of the newest sum.
func (s *restarted) begin(base, leaves uint64) {
	s.base, s.before = base, s.last
	for _, x := range s.before.v {
		if x > MaxValue/2 || x < -MaxValue/2 { // no honest sum gets there
			s.base = leaves
		}
	}
}

// lift adds what was before to the newest sum, whose slices are its own.
func (s *restarted) lift(sum *Release) {
	if s.base > 0 {
		for i, x := range s.before.v {
			sum.v[i] += x
		}
		for i := range sum.count {
			sum.count[i] += s.before.count
		}
		sum.noise = sum.noise.plus(s.before.noise)
	}
	s.last = prefix{v: sum.v, noise: sum.noise}
	if len(sum.count) > 0 {
		s.last.count = sum.count[0]
	}
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
	n.VarianceUnits += uint32(math.Ceil(float64(m.VarianceUnits) * ratio * ratio))
	return n
}

// appendState encodes what was before the newest beginning, and the newest sum.
func (s *restarted) appendState(b []byte) []byte {
	b = binary.AppendUvarint(b, s.base)
	return s.last.appendSum(s.before.appendSum(b))
}

func (s *restarted) readState(r *reader, width int) {
	s.base = r.uint()
	s.before.readSum(r, width)
	s.last.readSum(r, width)
}

// appendSum encodes a sum, or that there is none.
func (p *prefix) appendSum(b []byte) []byte {
	if p.v == nil {
		return append(b, 0)
	}
	b = append(b, 1, byte(p.noise.Law))
	b = binary.AppendUvarint(b, p.noise.Scale)
	b = binary.AppendUvarint(b, uint64(p.noise.VarianceUnits))
	b = binary.AppendUvarint(b, p.count)
	return appendInts(b, p.v)
}

func (p *prefix) readSum(r *reader, width int) {
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
	p.noise.VarianceUnits = uint32(terms)
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
