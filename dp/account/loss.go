package account

import (
	"fmt"
	"math"
	"math/bits"
)

// Square is μ² in units of 1e-9, an integer, so that sums are exact.
type Square uint64

// A Loss is the most that releases can reveal of one user: a pure ε for releases with Laplace
// noise, a μ for those with Gaussian noise. The zero Loss is none.
type Loss struct {
	Pure   Cost   // nano-ε
	Square Square // nano-μ²
}

// Gaussian returns the loss of releases with Gaussian noise of deviation sigma. sensitivity is
// the L2 sensitivity of all of them together: for a tree, √levels times one node's.
func Gaussian(sensitivity, sigma float64) (Loss, error) {
	if err := within("sensitivity", sensitivity, 0, 1e9); err != nil {
		return Loss{}, err
	}
	if err := within("sigma", sigma, 1e-9, maxSigma); err != nil {
		return Loss{}, err
	}
	mu := sensitivity / sigma
	if err := within("mu", mu, 0, maxMu); err != nil {
		return Loss{}, err
	}
	if sensitivity == 0 {
		return Loss{}, nil
	}
	return Loss{Square: Square(math.Floor(mu*mu*Nano*(1+0x1p-49)) + 1)}, nil
}

// Mu returns the μ of the Gaussian part, rounded up.
func (s Square) Mu() Mu { return Mu(math.Sqrt(float64(s)/Nano) * (1 + 0x1p-49)) }

// Protects reports whether the loss is finite.
func (l Loss) Protects() bool { return l.Pure != Infinite }

// String names the loss.
func (l Loss) String() string {
	pure := "epsilon " + l.Pure.String()
	if l.Square == 0 {
		return pure
	}
	gaussian := fmt.Sprintf("mu %.4g", float64(l.Square.Mu()))
	if l.Pure == 0 {
		return gaussian
	}
	return pure + " and " + gaussian
}

// Check refuses a loss out of range, such as one that protects no one.
func (l Loss) Check() error {
	if _, err := pureEpsilon(l.Pure); err != nil {
		return err
	}
	return l.Square.Mu().Check()
}

// Plus returns the loss of l followed by m, which may depend on what l released. If one of them
// protects no one, so does the sum.
func (l Loss) Plus(m Loss) (Loss, error) {
	if !l.Protects() || !m.Protects() {
		return Loss{Pure: Infinite}, nil
	}
	sum := Loss{l.Pure + m.Pure, l.Square + m.Square}
	if sum.Pure < l.Pure || sum.Square < l.Square {
		return Loss{}, fmt.Errorf("%w: sum of losses", ErrRange)
	}
	return sum, sum.Check()
}

// Times returns the loss of n releases of l in sequence. A charge for a whole horizon counts
// once, however much of it is released.
func (l Loss) Times(n uint64) (Loss, error) {
	hiP, pure := bits.Mul64(uint64(l.Pure), n)
	hiS, square := bits.Mul64(uint64(l.Square), n)
	if hiP != 0 || hiS != 0 {
		return Loss{}, fmt.Errorf("%w: %d losses", ErrRange, n)
	}
	product := Loss{Cost(pure), Square(square)}
	return product, product.Check()
}

// Delta returns the δ for which the loss is (ε, δ)-private: the least one if a single release has
// the pure part, and a valid one if several have it.
func (l Loss) Delta(epsilon float64) (float64, error) {
	if err := l.Check(); err != nil {
		return 0, err
	}
	if err := within("epsilon", epsilon, 0, maxEpsilon); err != nil {
		return 0, err
	}
	return l.delta(epsilon), nil
}

// delta is Delta for a valid loss and ε.
func (l Loss) delta(epsilon float64) float64 { return l.deltaBeyond(epsilon, beyond(epsilon, l.Pure)) }

// deltaAt is delta for an ε in units of 10^-9, for which a float may be inexact.
func (l Loss) deltaAt(epsilon Cost) float64 {
	return l.deltaBeyond(epsilon.Float(), float64(int64(epsilon)-int64(l.Pure))/Nano)
}

// deltaBeyond returns the mean of the Gaussian curve over the coin of the pure part, whose loss
// is its ε or -ε. difference is ε minus the pure part, exact to a few units in its last place:
// divided by a small μ, a rounded ε would make δ too small.
func (l Loss) deltaBeyond(epsilon, difference float64) float64 {
	pure, mu := l.Pure.Float(), float64(l.Square.Mu())
	switch {
	case mu == 0:
		return pureDelta(pure, difference)
	case pure == 0:
		return gaussianDelta(mu, epsilon)
	}
	heads := 1 / (1 + math.Exp(-pure))
	tails := math.Exp(-pure) * heads
	return up(heads*gaussianDeltaAny(mu, difference)+tails*gaussianDelta(mu, epsilon+pure), 16)
}

// Epsilon returns the least ε at which [Loss.Delta] is at most δ.
func (l Loss) Epsilon(delta float64) (float64, error) {
	if err := l.Check(); err != nil {
		return 0, err
	}
	return epsilonOf(delta, l.delta)
}
