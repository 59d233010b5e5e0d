package sample

import (
	"math"
	"testing"
)

// draws is the size of the statistical tests.
const draws = 2_000_000

// badFit is the |z| of a χ² beyond which a distribution is rejected: a correct sampler once in
// 7·10^4 seeds. A scale that is 2 % off has z of 11 to 28 at 100.
const badFit = 4.35

// fit draws n numbers and returns the χ² of their counts under the probabilities p as a standard
// normal z, and the degrees of freedom. Every number expected at least 25 times has its own cell;
// the two tails are cells, too.
func fit(n int, draw func() int64, p func(int64) float64) (z float64, freedom int) {
	count := map[int64]int{}
	for range n {
		count[draw()]++
	}
	chi2, bins := 0., 0
	restP, restN := 1., n
	cell := func(p float64, k int) {
		e := float64(n) * p
		chi2 += (float64(k) - e) * (float64(k) - e) / e
		bins++
	}
	own := func(x int64) bool {
		q := p(x)
		if float64(n)*q < 25 {
			return false
		}
		cell(q, count[x])
		restP -= q
		restN -= count[x]
		delete(count, x)
		return true
	}
	for x := int64(0); own(x); x++ {
	}
	for x := int64(-1); own(x); x-- {
	}
	if float64(n)*restP > 10 {
		high := 0
		for x, k := range count {
			if x > 0 {
				high += k
			}
		}
		if p(-1) > 0 {
			cell(restP/2, high)
			cell(restP/2, restN-high)
		} else {
			cell(restP, restN)
		}
	}
	return normal(chi2, bins-1), bins - 1
}

// normal returns a χ² as a standard normal z (Wilson and Hilferty 1931).
func normal(chi2 float64, freedom int) float64 {
	k := float64(freedom)
	return (math.Cbrt(chi2/k) - 1 + 2/(9*k)) / math.Sqrt(2/(9*k))
}

func checkLaw(t *testing.T, name string, z float64, freedom int) {
	t.Helper()
	if math.Abs(z) > badFit {
		t.Errorf("%s: χ² of %d degrees of freedom has z = %.2f", name, freedom, z)
	} else {
		t.Logf("%s: χ² of %d degrees of freedom has z = %.2f", name, freedom, z)
	}
}

// uniform returns the distribution of a uniform number below n.
func uniform(n int64) func(int64) float64 {
	return func(x int64) float64 {
		if x < 0 || x >= n {
			return 0
		}
		return 1 / float64(n)
	}
}

// moments returns the second and fourth moment of n draws in units of scale, and
// how many more are positive than negative, in standard deviations.
func moments(n int, scale float64, draw func() int64) (m2, m4, lean float64) {
	for range n {
		x := draw()
		y := float64(x) / scale
		m2 += y * y
		m4 += y * y * y * y
		switch {
		case x > 0:
			lean++
		case x < 0:
			lean--
		}
	}
	return m2 / float64(n), m4 / float64(n), lean / math.Sqrt(float64(n))
}

func near(got, want, sd float64) bool { return math.Abs(got-want) <= 4.5*sd }

// biased makes one number in fifty positive.
func (s *Source) biased(x int64) int64 {
	if s.Uint64() < math.MaxUint64/50 {
		return max(x, -x)
	}
	return x
}
