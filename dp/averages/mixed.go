package averages

import (
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
)

// Mixed is the state of one peer in gossip averaging: for every coordinate the peer's own newest
// released value and what averaging has made of all peers' values, on the lattice of
// [MeanExponent]. It is made only of Releases, so it may leave unchanged. All arithmetic is
// exact.
//
// A peer takes part in a coordinate from [Mixed.Join] on. Values and weights are mixed alike: Σ
// values = Σ own values of the peers that have entered and Σ weights = their number, except for
// what is in transit between two peers. At any peer, entered or not, a value divided by its
// weight estimates the mean of the own values (push-sum; Kempe, Dobra and Gehrke 2003).
type Mixed struct {
	own   []int64
	in    []bool
	v     []int64 // the values, followed by the weights
	least int64   // least weight by which to divide
}

// stateVersion is the first byte of saved states.
const stateVersion = 4

// one is a weight of 1 on the lattice of means.
const one = 1 << -MeanExponent

// NewMixed returns the state of n coordinates, all 0 and none entered, for one of a number of
// peers. Where averaging has left less weight than half of one over the number of peers, which is
// the least that well-mixed weights can be, the estimate is the own value.
func NewMixed(n, peers int) *Mixed {
	return &Mixed{
		own: make([]int64, n), in: make([]bool, n), v: make([]int64, 2*n),
		least: max(1, one/int64(2*max(1, peers))),
	}
}

// Len returns the number of coordinates.
func (m *Mixed) Len() int { return len(m.own) }

// Value returns the value of coordinate i in units of 2^[MeanExponent], which is its estimate if
// the weight is 1.
func (m *Mixed) Value(i int) int64 { return m.v[i] }

// Weight returns the weight of coordinate i in units of 2^[MeanExponent].
func (m *Mixed) Weight(i int) int64 { return m.v[len(m.own)+i] }

// even reports whether every weight is 1.
func (m *Mixed) even() bool {
	for _, w := range m.v[len(m.own):] {
		if w != one {
			return false
		}
	}
	return true
}

// At returns the estimate of coordinate i as a float, for learners.
func (m *Mixed) At(i int) float64 {
	if w := m.v[len(m.own)+i]; w >= m.least {
		return float64(m.v[i]) / float64(w)
	}
	return float64(m.own[i]) / one
}

// Own returns the own value of coordinate i in units of 2^[MeanExponent].
func (m *Mixed) Own(i int) int64 { return m.own[i] }

// Joined reports whether the peer has entered coordinate i.
func (m *Mixed) Joined(i int) bool { return m.in[i] }

// Join makes the peer take part in coordinate i: it adds its own value, with weight 1.
// It reports whether the peer is in; a sum out of range leaves it out.
func (m *Mixed) Join(i int) bool {
	if m.Joined(i) {
		return true
	}
	v, w := m.v[i]+m.own[i], m.v[len(m.own)+i]+one // two numbers within ±2^61 each
	if !within(v) || !within(w) {
		return false
	}
	m.v[i], m.v[len(m.own)+i], m.in[i] = v, w, true
	return true
}

// Replace makes the one value of r the own value of coordinate i. If the peer has entered it, the
// value moves by the difference.
func (m *Mixed) Replace(i int, r dp.Release) error {
	if r.Len() != 1 || r.Exponent() != MeanExponent {
		return dp.ErrShape
	}
	return m.set(i, r.Value(0))
}

func (m *Mixed) set(i int, own int64) error {
	if !m.Joined(i) {
		m.own[i] = own
		return nil
	}
	v := m.v[i] + (own - m.own[i]) // three numbers within ±2^61
	if !within(v) {
		return dp.ErrOverflow
	}
	m.v[i], m.own[i] = v, own
	return nil
}

// ReplaceByMean is Replace with the mean of a running sum, rounded down. It returns the mean's
// noise as [dp.Release.NoiseMoments] does.
func (m *Mixed) ReplaceByMean(i int, sum *dp.Release) (dp.NoiseMoments, error) {
	if sum.Len() != 1 || sum.Counts() != 1 || sum.Count(0) == 0 || sum.Exponent() < MeanExponent || sum.Exponent() > MeanExponent+63 {
		return dp.NoiseMoments{}, dp.ErrShape
	}
	n := sum.Count(0)
	mean, ok := floorShiftDiv(sum.Value(0), uint(sum.Exponent()-MeanExponent), n)
	if !ok {
		return dp.NoiseMoments{}, dp.ErrOverflow
	}
	if err := m.set(i, mean); err != nil {
		return dp.NoiseMoments{}, err
	}
	return sum.NoiseMoments().Over(float64(n)), nil
}

// HalfDifference returns ⌊(other - own state)/2⌋ of values and weights, which this peer should
// add and the other subtract for both to have their mean. If a difference is odd, the other end
// keeps the remaining unit. If all weights at both ends are 1, they are omitted.
func (m *Mixed) HalfDifference(other dp.Release) (dp.Release, error) {
	n := len(m.own)
	if !m.fits(&other) {
		return dp.Release{}, dp.ErrShape
	}
	size := len(m.v)
	if other.Len() == n && m.even() {
		size = n
	}
	d := make([]int64, size)
	for i := range d {
		x := int64(one) // if omitted
		if i < other.Len() {
			x = other.Value(i)
		}
		d[i] = (x - m.v[i]) >> 1
	}
	return made(dp.Fields{Value: d, Exponent: MeanExponent}, nil)
}

// fits reports whether a release has values, with weights or without.
func (m *Mixed) fits(r *dp.Release) bool {
	return (r.Len() == len(m.own) || r.Len() == len(m.v)) && r.Exponent() == MeanExponent
}

// Add adds d to values and, unless d omits them, to weights. It refuses a result outside of
// ±[dp.MaxValue]/2.
func (m *Mixed) Add(d dp.Release) error { return m.move(d, 1) }

// Sub subtracts d, with the same limit.
func (m *Mixed) Sub(d dp.Release) error { return m.move(d, -1) }

func (m *Mixed) move(d dp.Release, sign int64) error {
	if !m.fits(&d) {
		return dp.ErrShape
	}
	for i := range d.Len() {
		// Half the range: the others' values must leave room for what the peer itself will learn,
		// so that they cannot stop it.
		if v := m.v[i] + sign*d.Value(i); v > dp.MaxValue/2 || v < -dp.MaxValue/2 {
			return dp.ErrOverflow
		}
	}
	for i := range d.Len() {
		m.v[i] += sign * d.Value(i)
	}
	return nil
}

// Release returns the present values, followed by the weights unless all are 1.
func (m *Mixed) Release() (r dp.Release) {
	m.ReleaseTo(vouch.For(&r))
	return r
}

// ReleaseTo makes to what Release returns, in to's memory, as [dp.Release.CopyTo] does.
func (m *Mixed) ReleaseTo(to vouch.Value[*dp.Release]) {
	size := len(m.v)
	if m.even() {
		size = len(m.own)
	}
	dp.Remake(to, dp.Fields{Value: m.v[:size], Exponent: MeanExponent})
}

// Save returns the state, which is public.
func (m *Mixed) Save() []byte { return state.Save(stateVersion, m.fields) }

// Load restores the state of a Mixed with the same number of coordinates. An error wraps
// [dp.ErrState] and leaves the state unchanged.
func (m *Mixed) Load(saved vouch.Value[[]byte]) error {
	next := *m
	next.own, next.v, next.in = slices.Clone(m.own), slices.Clone(m.v), slices.Clone(m.in)
	if err := state.Load(saved.Get(), stateVersion, next.fields); err != nil {
		return err
	}
	*m = next
	return nil
}

func (m *Mixed) fields(v *state.Visitor) {
	lattice := int8(MeanExponent)
	e := byte(lattice)
	v.Byte(&e)
	v.Check(int8(e) == lattice, "a lattice of 2^%d, want 2^%d", int8(e), lattice)
	n := len(m.own)
	for i := range m.own {
		v.Vector(m.own[i:i+1], dp.MaxValue)
		v.Vector(m.v[i:i+1], dp.MaxValue)
		v.Vector(m.v[n+i:n+i+1], dp.MaxValue)
		v.Bool(&m.in[i])
	}
}
