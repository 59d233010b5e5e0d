package audit

import (
	"math"

	"peerd.dev/dp"
)

// A law is a distribution of integer noise X.
type law interface {
	// pit, the probability integral transform, returns a number that is uniform in [0,1) if x has
	// the distribution and v is uniform.
	pit(x int64, v float64) float64
	// zero returns P(X = 0).
	zero() float64
	// alike returns P(|X| = |Y|) for two independent ones.
	alike() float64
	// size returns the mean and the deviation of |X|.
	size() (mean, deviation float64)
}

// lawOf returns the distribution of one term of noise.
func lawOf(n dp.Noise) law {
	if n.Law == dp.Gaussian {
		return gaussian(n.Scale)
	}
	return newLaplace(n.Scale)
}

// laplace is the discrete Laplace distribution of scale b: P(x) ∝ exp(-|x|/b).
type laplace struct {
	q, one float64 // exp(-1/b), and 1 minus it
}

func newLaplace(scale uint64) laplace {
	return laplace{math.Exp(-1 / float64(scale)), -math.Expm1(-1 / float64(scale))}
}

// p returns P(x).
func (l laplace) p(x int64) float64 {
	return l.one / (1 + l.q) * math.Pow(l.q, math.Abs(float64(x)))
}

// below returns P(X < x).
func (l laplace) below(x int64) float64 {
	if x <= 0 {
		return math.Pow(l.q, float64(1-x)) / (1 + l.q)
	}
	return 1 - math.Pow(l.q, float64(x))/(1+l.q)
}

func (l laplace) pit(x int64, v float64) float64 { return l.below(x) + v*l.p(x) }

func (l laplace) zero() float64 { return l.p(0) }

func (l laplace) alike() float64 { return l.one / 2 } // up to a relative error of 1/b²

func (l laplace) size() (mean, deviation float64) {
	mean = 2 * l.q / (l.one * (1 + l.q))
	return mean, math.Sqrt(2*l.q/(l.one*l.one) - mean*mean)
}

// gaussian is the discrete Gaussian distribution of a deviation σ of at least 1,000 units: P(x) ∝
// exp(-x²/2σ²). It is approximated by a rounded continuous number, up to a relative error of
// 1/24σ² in every probability.
type gaussian float64

func (s gaussian) pit(x int64, v float64) float64 {
	return math.Erfc(-(float64(x)-.5+v)/float64(s)/math.Sqrt2) / 2
}

func (s gaussian) zero() float64 { return 1 / (float64(s) * math.Sqrt(2*math.Pi)) }

func (s gaussian) alike() float64 { return 1 / (float64(s) * math.Sqrt(math.Pi)) }

func (s gaussian) size() (mean, deviation float64) {
	return float64(s) * math.Sqrt(2/math.Pi), float64(s) * math.Sqrt(1-2/math.Pi)
}
