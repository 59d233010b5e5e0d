package dp

import "peerd.dev/dp/state"

// restarted is where a stream's mechanism began again after leaves that were abandoned. It runs
// over the remaining leaves, and what it releases is added to the last known sum:
// docs/proofs/skip.md.
type restarted struct {
	base   uint64 // leaves closed or abandoned before the newest beginning
	before prefix // the sum at base
	last   prefix // the newest sum
}

// prefix is a sum as it was released.
type prefix struct {
	v     []int64
	count uint64
	noise Noise
}

// begin records a beginning after leaf base, on top of the newest sum.
func (s *restarted) begin(base, leaves uint64) {
	s.base, s.before = base, s.last
	for _, x := range s.before.v {
		if x > MaxValue/2 || x < -MaxValue/2 { // no honest sum gets there
			s.base = leaves
		}
	}
}

// lift adds the sum from before to the newest sum, which must own its slices.
func (s *restarted) lift(sum *Release) {
	if s.base > 0 {
		for i, x := range s.before.v {
			sum.v[i] += x
		}
		for i := range sum.count {
			sum.count[i] += s.before.count
		}
		sum.noise = sum.noise.Plus(s.before.noise)
	}
	s.last = prefix{v: sum.v, noise: sum.noise}
	if len(sum.count) > 0 {
		s.last.count = sum.count[0]
	}
}

// fields visits the sum before the newest beginning, and the newest sum.
func (s *restarted) fields(v *state.Visitor, width int) {
	v.Uint(&s.base)
	s.before.fields(v, width)
	s.last.fields(v, width)
}

// fields visits a sum, or the fact that there is none.
func (p *prefix) fields(v *state.Visitor, width int) {
	is := p.v != nil
	if v.Bool(&is); !is {
		return
	}
	if v.Loading() {
		p.v = make([]int64, width)
	}
	state.Number(v, &p.noise.Law)
	v.Uint(&p.noise.Scale)
	state.Number(v, &p.noise.VarianceUnits)
	v.Uint(&p.count)
	v.Vector(p.v, MaxValue)
	if err := p.noise.Check(); err != nil {
		v.Fail("%w", err)
	}
	v.Check(p.count <= 1<<62, "a sum of %d records", p.count)
}
