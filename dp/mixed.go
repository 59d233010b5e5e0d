package dp

import "encoding/binary"

// Mixed is the state of one peer in gossip averaging: for every coordinate the
// peer's own newest released value and the estimate that averaging has made of
// it. It is made of Releases alone, so it may leave as it stands. All arithmetic
// is exact, so the sum over peers of (estimate - own) is 0 at all times, plus
// what is under way between two peers.
type Mixed struct {
	own []int64
	v   []int64
	e   int8
	out slab[int64]
}

// NewMixed returns the state of n coordinates on the lattice 2^e, all 0.
func NewMixed(n int, e int8) *Mixed {
	return &Mixed{own: make([]int64, n), v: make([]int64, n), e: e}
}

// Len returns the number of coordinates.
func (m *Mixed) Len() int { return len(m.v) }

// Value returns the estimate of coordinate i in units of 2^e.
func (m *Mixed) Value(i int) int64 { return m.v[i] }

// At returns the estimate of coordinate i as a float, for learners.
func (m *Mixed) At(i int) float64 { return float64(m.v[i]) * unit(m.e) }

// Own returns the own value of coordinate i in units of 2^e.
func (m *Mixed) Own(i int) int64 { return m.own[i] }

// Replace makes the one value of r the own value of coordinate i; the estimate
// moves by the difference.
func (m *Mixed) Replace(i int, r Release) error {
	if len(r.v) != 1 || r.e != m.e {
		return ErrShape
	}
	return m.set(i, r.v[0])
}

func (m *Mixed) set(i int, own int64) error {
	v := m.v[i] + (own - m.own[i]) // three numbers within ±2^61
	if !within(v) {
		return ErrOverflow
	}
	m.v[i], m.own[i] = v, own
	return nil
}

// ReplaceByMean is Replace with the mean of a running sum; see [Mean]. It returns
// the mean's noise as [Release.Spread] does.
func (m *Mixed) ReplaceByMean(i int, sum Release) (Spread, error) {
	if len(sum.v) != 1 || len(sum.count) != 1 || sum.count[0] == 0 || sum.e < MeanExponent || sum.e > MeanExponent+63 || m.e != MeanExponent {
		return Spread{}, ErrShape
	}
	n := sum.count[0]
	mean, ok := floorShiftDiv(sum.v[0], uint(sum.e-MeanExponent), n)
	if !ok {
		return Spread{}, ErrOverflow
	}
	if err := m.set(i, mean); err != nil {
		return Spread{}, err
	}
	return sum.Spread().Over(float64(n)), nil
}

// HalfDifference returns ⌊(other - estimate)/2⌋, which is what this peer should
// add and the other subtract for both to hold their mean. Where the difference
// is odd, the other end keeps the unit that is left over.
func (m *Mixed) HalfDifference(other Release) (Release, error) {
	if len(other.v) != len(m.v) || other.e != m.e {
		return Release{}, ErrShape
	}
	d := m.out.take(len(m.v))
	for i := range d {
		d[i] = (other.v[i] - m.v[i]) >> 1
	}
	return Release{v: d, e: m.e}, nil
}

// countRatio is up to how many times as many pulls one end of an exchange may have
// as the other for their means to be alike.
const countRatio = 4

// HalfDifferenceAlike is HalfDifference where both ends know a coordinate about
// equally well, by their pull counts, and 0 elsewhere: what rests on a pull or two
// would bring its noise, or nothing at all, into what rests on thousands.
func (m *Mixed) HalfDifferenceAlike(other, theirs Release, mine *Counts) (Release, error) {
	if len(theirs.count) != len(m.v) || mine.Len() != len(m.v) {
		return Release{}, ErrShape
	}
	d, err := m.HalfDifference(other)
	if err != nil {
		return Release{}, err
	}
	for i, n := range theirs.count {
		if low, high := min(n, mine.n[i]), max(n, mine.n[i]); low == 0 || low < high/countRatio {
			d.v[i] = 0
		}
	}
	return d, nil
}

// Add adds d to the estimate. It refuses what would leave ±MaxValue/2.
func (m *Mixed) Add(d Release) error { return m.move(d, 1) }

// Sub subtracts d from the estimate, with the same limit.
func (m *Mixed) Sub(d Release) error { return m.move(d, -1) }

func (m *Mixed) move(d Release, sign int64) error {
	if len(d.v) != len(m.v) || d.e != m.e {
		return ErrShape
	}
	for i, x := range d.v {
		// Half the range: what others say must leave room for what the peer itself
		// will learn, so that they cannot stop it.
		if v := m.v[i] + sign*x; v > MaxValue/2 || v < -MaxValue/2 {
			return ErrOverflow
		}
	}
	for i, x := range d.v {
		m.v[i] += sign * x
	}
	return nil
}

// Release returns the estimate as it is now.
func (m *Mixed) Release() Release {
	v := m.out.take(len(m.v))
	copy(v, m.v)
	return Release{v: v, e: m.e}
}

// Save returns the state, which is public.
func (m *Mixed) Save() []byte {
	b := []byte{stateVersion, byte(m.e)}
	for i := range m.v {
		b = binary.AppendVarint(b, m.own[i])
		b = binary.AppendVarint(b, m.v[i])
	}
	return b
}

// Load takes over the state of a Mixed of as many coordinates on the same lattice.
// The error wraps [ErrState], and then nothing has changed.
func (m *Mixed) Load(saved []byte) error {
	r := newReader(saved)
	next := NewMixed(len(m.v), m.e)
	if int8(r.byte()) != m.e {
		r.fail()
	}
	for i := range next.v {
		next.own[i], next.v[i] = r.int(), r.int()
		if !within(next.own[i]) || !within(next.v[i]) {
			r.fail()
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	m.own, m.v = next.own, next.v
	return nil
}

func within(x int64) bool { return -MaxValue <= x && x <= MaxValue }
