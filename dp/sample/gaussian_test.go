package sample

import (
	"fmt"
	"math"
	"testing"
)

func gaussianLaw(sigma float64) func(int64) float64 {
	weight := func(x float64) float64 { return math.Exp(-x * x / (2 * sigma * sigma)) }
	sum := 1.
	for x := 1.; x < 40*sigma; x++ {
		sum += 2 * weight(x)
	}
	return func(x int64) float64 { return weight(float64(x)) / sum }
}

// TestGaussianHasItsLaw rejects a correct sampler once in 10^4 seeds (six fits).
func TestGaussianHasItsLaw(t *testing.T) {
	s := NewSeededSource([32]byte{1})
	for _, sigma := range []uint64{1, 2, 3, 7, 20, 100} {
		z, k := fit(draws, func() int64 { return s.Gaussian(sigma) }, gaussianLaw(float64(sigma)))
		checkLaw(t, fmt.Sprint("sigma ", sigma), z, k)
	}
}

// TestTheFitRejectsWrongGaussians shows which wrong distributions the fit detects.
func TestTheFitRejectsWrongGaussians(t *testing.T) {
	s := NewSeededSource([32]byte{2})
	for _, c := range []struct {
		name  string
		sigma uint64
		draw  func(sigma uint64) int64
	}{
		{"sigma 2 % up", 100, func(sigma uint64) int64 { return s.Gaussian(sigma + sigma/50) }},
		{"sigma 2 % down", 100, func(sigma uint64) int64 { return s.Gaussian(sigma - sigma/50) }},
		{"one in fifty made positive", 20, func(sigma uint64) int64 { return s.biased(s.Gaussian(sigma)) }},
		{"-0 counted", 7, func(sigma uint64) int64 {
			for {
				if x := s.Gaussian(sigma); x == 0 || s.Uint64()&1 == 0 {
					return x
				}
			}
		}},
		{"Laplace of equal variance", 7, func(uint64) int64 { return s.Laplace(5) }},
		{"tails kept without exp(-⌊a/b⌋)", 20, func(sigma uint64) int64 {
			for {
				y := s.Laplace(sigma)
				d := max(y, -y) - int64(sigma)
				if s.bernoulliExp(s.Uint64(), uint64(d*d)%(2*sigma*sigma), 2*sigma*sigma) {
					return y
				}
			}
		}},
	} {
		z, k := fit(draws, func() int64 { return c.draw(c.sigma) }, gaussianLaw(float64(c.sigma)))
		t.Logf("%s at %d: χ² of %d degrees of freedom has z = %.1f", c.name, c.sigma, k, z)
		if z < 2*badFit {
			t.Errorf("%s at %d: z = %.2f, want at least %v", c.name, c.sigma, z, 2*badFit)
		}
	}
}

// TestGaussianHasItsMoments rejects a correct sampler once in 10^4 seeds (twelve times
// |z| > 4.5). A sigma 2 % off has |z| above 35.
func TestGaussianHasItsMoments(t *testing.T) {
	s := NewSeededSource([32]byte{3})
	const n = float64(draws)
	for _, sigma := range []uint64{1 << 20, 1<<20 + 7, 3 << 24, MaxSigma} {
		m2, m4, lean := moments(draws, float64(sigma), func() int64 { return s.Gaussian(sigma) })
		if !near(m2, 1, math.Sqrt(2/n)) || !near(m4, 3, math.Sqrt(96/n)) || !near(lean, 0, 1) {
			t.Errorf("sigma %d: second moment %.4f, fourth %.3f, lean %.2f, want 1, 3, 0", sigma, m2, m4, lean)
		}
	}
}

// TestTheLowBitsOfGaussianAreUniform checks the bits in which rounded floats leak (Jin and others
// 2022). It rejects a correct sampler once in 2·10^4 seeds (three fits).
func TestTheLowBitsOfGaussianAreUniform(t *testing.T) {
	s := NewSeededSource([32]byte{4})
	for _, sigma := range []uint64{1<<20 + 7, 1 << 24, MaxSigma} {
		z, k := fit(draws, func() int64 { return s.Gaussian(sigma) & 127 }, uniform(128))
		checkLaw(t, fmt.Sprint("sigma ", sigma), z, k)
	}
}

// TestWideGaussiansHaveTheirLaw runs the sampler for wide distributions at scales that do not
// need it, where the distribution can be fitted, and checks moments at scales that do.
func TestWideGaussiansHaveTheirLaw(t *testing.T) {
	s := NewSeededSource([32]byte{5})
	for _, sigma := range []uint64{1, 3, 20} {
		z, k := fit(draws, func() int64 { return s.wideGaussian(sigma) }, gaussianLaw(float64(sigma)))
		checkLaw(t, fmt.Sprint("wide sigma ", sigma), z, k)
	}
	const n, sigma = 400_000, 1 << 38
	var m2, m4 float64
	for range n {
		x := float64(s.Gaussian(sigma)) / sigma
		m2 += x * x / n
		m4 += x * x * x * x / n
	}
	// Standard errors √(2/n) = .0022 and √(96/n) = .0155.
	if math.Abs(m2-1) > .01 || math.Abs(m4-3) > .07 {
		t.Errorf("at 2^38 the moments are %.4f and %.4f, want 1 and 3", m2, m4)
	}
}
