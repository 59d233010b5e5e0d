package averages

import (
	"math/bits"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
)

// Shares is the state of one peer in running consensus: for every part, what averaging has made
// of the sums of all peers, followed by the numbers of records in them, both on the lattice of
// [dp.GridExponent]. Sums and numbers move alike. It is made only of Releases, so it may leave
// unchanged. All arithmetic is exact: over all peers, Σ values = Σ of what has entered, minus
// what is in transit on links.
type Shares struct {
	entered []int64 // the present own sums and numbers
	v       []int64
}

// unit is the value of 1 in reports.
const unit = 1. / (1 << -dp.GridExponent)

// NewShares returns the state of a number of parts of which nothing is known.
func NewShares(parts int) *Shares {
	return &Shares{entered: make([]int64, 2*parts), v: make([]int64, 2*parts)}
}

// Parts returns the number of parts.
func (s *Shares) Parts() int { return len(s.v) / 2 }

// Value returns value i in units of 2^[dp.GridExponent]: the sums, then the numbers of records.
func (s *Shares) Value(i int) int64 { return s.v[i] }

// Entered returns the own sum or number that has entered, with the same index as Value.
func (s *Shares) Entered(i int) int64 { return s.entered[i] }

// Sum returns the sum of a part, for learners.
func (s *Shares) Sum(part int) float64 { return float64(s.v[part]) * unit }

// Records returns the number of records in the sum of a part, for learners.
func (s *Shares) Records(part int) float64 { return float64(s.v[s.Parts()+part]) * unit }

// Enter adds the growth of an own running sum of a part and of its number of records.
func (s *Shares) Enter(part int, sum *dp.Release) error {
	v, n, err := s.own(sum)
	if err != nil {
		return err
	}
	i, k := part, s.Parts()+part
	x, y := s.v[i]+(v-s.entered[i]), s.v[k]+(n-s.entered[k]) // three numbers within ±2^61
	if !within(x) || !within(y) {
		return dp.ErrOverflow
	}
	s.v[i], s.v[k], s.entered[i], s.entered[k] = x, y, v, n
	return nil
}

// Start makes an own running sum the one with which later ones are compared. Its content has
// entered in an earlier life.
func (s *Shares) Start(part int, sum *dp.Release) error {
	v, n, err := s.own(sum)
	if err != nil {
		return err
	}
	s.entered[part], s.entered[s.Parts()+part] = v, n
	return nil
}

func (s *Shares) own(sum *dp.Release) (v, n int64, err error) {
	if sum.Len() != 1 || sum.Counts() != 1 || sum.Exponent() != dp.GridExponent {
		return 0, 0, dp.ErrShape
	}
	if sum.Count(0) > dp.MaxValue>>-dp.GridExponent {
		return 0, 0, dp.ErrOverflow
	}
	return sum.Value(0), int64(sum.Count(0)) << -dp.GridExponent, nil
}

// WholeShare is the weight of a link that moves everything.
const WholeShare = 1 << 32

// Pass moves a share of every value, rounded toward zero, into each flow: weight/[WholeShare] of
// the value before. The weights add up to at most WholeShare.
func (s *Shares) Pass(flows []Flow, weights []uint64) {
	for k, x := range s.v {
		for i, w := range weights {
			d := share(x, w)
			flows[i].sent[k] = wrap(flows[i].sent[k] + d)
			s.v[k] -= d
		}
	}
}

// share returns x·w/WholeShare, rounded toward zero.
func share(x int64, w uint64) int64 {
	if x < 0 {
		return -share(-x, w)
	}
	hi, lo := bits.Mul64(uint64(x), w)
	return int64(hi<<32 | lo>>32)
}

// Take adds what the other end of a link has sent since the last time: r is the newest Release of
// its flow. If it covers fewer records than before, the other end went back to a state from a
// backup: nothing is added, and only what it sends from there on counts. After an error nothing
// has changed.
func (s *Shares) Take(f *Flow, r *dp.Release) error {
	if r.Len() != len(s.v) || r.Counts() != 0 || r.Exponent() != dp.GridExponent {
		return dp.ErrShape
	}
	back := false
	for k := range s.v {
		x := r.Value(k)
		// Half the range, as in [Mixed.Add].
		d := wrap(x - f.taken[k])
		if x != wrap(x) || s.v[k]+d > dp.MaxValue/2 || s.v[k]+d < -dp.MaxValue/2 {
			return dp.ErrOverflow
		}
		back = back || k >= s.Parts() && d < 0
	}
	for k := range s.v {
		x := r.Value(k)
		if !back {
			s.v[k] += wrap(x - f.taken[k])
		}
		f.taken[k] = x
	}
	return nil
}

// A Flow is what has crossed a link since both ends began, in each direction, modulo 2^61. A
// message has all of one direction, so the next message includes what a lost one would have
// brought (Hadjicostis, Vaidya and Domínguez-García 2016, "exchange of running sums").
type Flow struct{ sent, taken []int64 }

// NewFlow returns the flow of a new link.
func NewFlow(parts int) Flow { return Flow{make([]int64, 2*parts), make([]int64, 2*parts)} }

// wrap returns the number from -2^60 to 2^60-1 that is x modulo 2^61.
func wrap(x int64) int64 { return x << 3 >> 3 }

// Skip makes the newest Release of the other direction count as taken, without adding it.
func (f *Flow) Skip(r *dp.Release) error {
	if r.Len() != len(f.taken) || r.Counts() != 0 || r.Exponent() != dp.GridExponent {
		return dp.ErrShape
	}
	taken := r.Fields().Value
	for _, x := range taken {
		if x != wrap(x) {
			return dp.ErrOverflow
		}
	}
	copy(f.taken, taken)
	return nil
}

// Sent returns what has been sent of value i of [Shares].
func (f *Flow) Sent(i int) int64 { return f.sent[i] }

// Taken returns what has been taken of value i of [Shares].
func (f *Flow) Taken(i int) int64 { return f.taken[i] }

// ReleaseTo makes to what was sent over the link, in to's memory, as [dp.Release.CopyTo] does.
func (f *Flow) ReleaseTo(to vouch.Value[*dp.Release]) {
	dp.Remake(to, dp.Fields{Value: f.sent, Exponent: dp.GridExponent})
}

// Save returns the state, which is public.
func (s *Shares) Save() []byte { return state.Save(stateVersion, s.fields) }

// Load restores the state of the same number of parts. An error wraps [dp.ErrState] and leaves the
// state unchanged.
func (s *Shares) Load(saved vouch.Value[[]byte]) error {
	next := NewShares(s.Parts())
	if err := state.Load(saved.Get(), stateVersion, next.fields); err != nil {
		return err
	}
	*s = *next
	return nil
}

func (s *Shares) fields(v *state.Visitor) {
	v.Vector(s.entered, dp.MaxValue)
	v.Vector(s.v, dp.MaxValue)
}

// Save returns the state, which is public.
func (f *Flow) Save() []byte { return state.Save(stateVersion, f.fields) }

// Load restores the state of a link with the same number of parts, as [Shares.Load] does.
func (f *Flow) Load(saved vouch.Value[[]byte]) error {
	next := NewFlow(len(f.sent) / 2)
	if err := state.Load(saved.Get(), stateVersion, next.fields); err != nil {
		return err
	}
	*f = next
	return nil
}

func (f *Flow) fields(v *state.Visitor) {
	v.Vector(f.sent, dp.MaxValue)
	v.Vector(f.taken, dp.MaxValue)
}
