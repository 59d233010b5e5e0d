package bandit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Level names how improbable a mean has to be, in a round t, for [KLUCB] to rule it out.
type Level string

// The levels, of the exponent in round t.
const (
	TwoLog  Level = "2 ln t"           // what the calibrated radius of [UCB] promises, kept if pulls are unequal
	LogPlus Level = "ln t + 3 ln ln t" // with which Garivier and Cappé (2011) prove the regret of KL-UCB
	Log     Level = "ln t"             // the least, for peers in step
)

// KLUCBParams are the parameters of learner klucb.
type KLUCBParams struct {
	Level Level `want:"2 ln t|ln t + 3 ln ln t|ln t" doc:"Exponent of the probability with which an index may be too low in round t. Less explores less; ln t is not safe where sites pull unequally."`
}

// KLUCB pulls the arm with the greatest mean that what is known does not rule out: the
// greatest q for which the joint Chernoff bound of rewards with mean q and of the noise
//
//	sup over h ≥ 0 of [-h y - n ln(1 - q + q e^(-h/n)) + (v/b²) ln(1 - b²h²) - g h²/2]
//
// is at most the level, where y is the released mean, n = 1/SampleVar, and v, b and g are
// the moments of the noise in it. Without noise it is KL-UCB (Garivier and Cappé 2011);
// with one Laplace term it is the index of DP-KLUCB (Azize, Wu, Honda, Orabona, Ito and
// Basu 2025). See docs/proofs/klucb.md.
type KLUCB struct {
	arms
	level Level
	rng   *rand.Rand // picks among forced arms
	known []evidence // by arm
	index []float64  // by arm
	block uint64     // last round for which they hold
	l     float64    // level of that round
}

// evidence is what is known of an arm.
type evidence struct {
	y, n    float64 // mean, and how many rewards it rests on
	v, b, g float64 // moments of the noise
}

var _ Learner = (*KLUCB)(nil)

func klucbEntry() Entry {
	return define("klucb", "pulls the arm with the greatest mean that rewards and noise do not rule out", KLUCBParams{TwoLog}, nil, newKLUCB)
}

func newKLUCB(c Config, p KLUCBParams) (Learner, error) {
	if p.Level != TwoLog && p.Level != LogPlus && p.Level != Log {
		return nil, fmt.Errorf("bandit: level %q, want %q, %q or %q", p.Level, TwoLog, LogPlus, Log)
	}
	return &KLUCB{
		arms: arms{c.Arms}, level: p.Level, rng: c.Rand, known: make([]evidence, c.Arms), index: make([]float64, c.Arms),
	}, nil
}

// Choose returns a forced arm, picked at random, if there is one; else the arm with the
// greatest index.
func (u *KLUCB) Choose(b *Belief, t Turn) Choice {
	if c, ok := forced(b, t, u.rng); ok {
		return c
	}
	if r := t.Round + 2; r > u.block { // as in UCB, a block is a 64th of the rounds so far
		step := uint64(1) << max(0, bits.Len64(r)-7)
		u.renew((r + step - 1) / step * step)
	}
	for k, v := range b.SampleVar {
		if e := (evidence{b.X[k], 1 / v, b.LaplaceSumSq[k], b.LaplaceMax[k], b.GaussVar[k]}); b.Known(k) && e != u.known[k] {
			u.known[k], u.index[k] = e, e.greatest(u.l)
		}
	}
	return Choice{greatest(b, t, u.index), 1}
}

// renew begins a block that ends with round t.
func (u *KLUCB) renew(t uint64) {
	u.block, u.l = t, math.Log(float64(t))
	switch u.level {
	case Log: // as it is
	case TwoLog:
		u.l *= 2
	case LogPlus:
		u.l += 3 * math.Log(max(1, u.l))
	}
	for k := range u.known {
		u.known[k] = evidence{n: -1}
	}
}

// Save returns the block of rounds, from which the indices follow.
func (u *KLUCB) Save() []byte { return binary.BigEndian.AppendUint64(nil, u.block) }

// Load implements [Learner].
func (u *KLUCB) Load(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("bandit: saved state of %d bytes, want 8", len(state))
	}
	if t := binary.BigEndian.Uint64(state); t > 0 {
		u.renew(t)
	}
	return nil
}

// greatest returns the index: the greatest q with an exponent of at most l. An index over 1
// is 1 plus the level less the exponent at 1; an index below 0 is the level less the exponent
// at 0. Both are continuous and keep the order.
func (e evidence) greatest(l float64) float64 {
	h := 0.
	if x := e.exponent(1, &h); x <= l {
		return 1 + l - x
	}
	if h = 0; e.y < 0 {
		if x := e.exponent(0, &h); x > l {
			return l - x
		}
	}
	lo, hi := max(0, min(e.y, 1)), 1.
	q := lo + (hi-lo)/2
	for range 60 {
		x := e.exponent(q, &h)
		if x > l {
			hi = q
		} else {
			lo = q
		}
		next := q - (x-l)/e.slope(q, h)
		if !(next > lo && next < hi) { // NaN included
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-q) < 1e-8 {
			return next
		}
		q = next
	}
	return q
}

// slope returns by how much the exponent grows with q.
func (e evidence) slope(q, h float64) float64 {
	m := -math.Expm1(-h / e.n)
	return e.n * m / (1 - q*m)
}

// exponent returns the supremum over h and where it is. It is concave in h and 0 at 0.
func (e evidence) exponent(q float64, h *float64) float64 {
	if q <= e.y { // the mean is not below q
		*h = 0
		return 0
	}
	lo, hi := 0., e.n*700 // beyond which e^(-h/n) is nothing
	if e.b > 0 {
		hi = min(hi, 1/e.b)
	}
	x := *h
	if !(x > lo && x < hi) {
		x = hi / 2
	}
	for range 60 {
		d, dd := e.slopes(q, x)
		if d > 0 {
			lo = x
		} else {
			hi = x
		}
		next := x - d/dd
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		// The exponent is flat where it is greatest: an error in h counts squared.
		if math.Abs(next-x) <= 1e-5*x {
			x = next
			break
		}
		x = next
	}
	*h = x
	return e.at(q, x)
}

// at returns the exponent at h.
func (e evidence) at(q, h float64) float64 {
	x := -h*e.y - e.n*math.Log1p(q*math.Expm1(-h/e.n)) - e.g*h*h/2
	if e.b > 0 {
		x += e.v / (e.b * e.b) * math.Log1p(-e.b*e.b*h*h)
	}
	return x
}

// slopes returns the first and second derivative of the exponent by h.
func (e evidence) slopes(q, h float64) (first, second float64) {
	p := 1.
	if h > 0 || q < 1 {
		z := q * math.Exp(-h/e.n)
		p = z / (1 - q + z)
	}
	first, second = p-e.y-e.g*h, -p*(1-p)/e.n-e.g
	if e.b > 0 {
		s := e.b * e.b * h * h
		first -= 2 * e.v * h / (1 - s)
		second -= 2 * e.v * (1 + s) / ((1 - s) * (1 - s))
	}
	return first, second
}
