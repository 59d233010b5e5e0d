package sample

import (
	"fmt"
	"math"
	"testing"
)

// tiltedLaw returns the law of [Source.Tilted].
func tiltedLaw(i int64, t float64) func(int64) float64 {
	up, down := math.Exp(-float64(TiltSteps-i)/(TiltSteps*t)), math.Exp(-float64(TiltSteps+i)/(TiltSteps*t))
	all := 1/(1-up) + down/(1-down)
	return func(x int64) float64 {
		if x < 0 {
			return math.Pow(down, -float64(x)) / all
		}
		return math.Pow(up, float64(x)) / all
	}
}

// TestTiltedHasItsLaw, from 0 on and below, and has as many of either. It rejects a
// correct sampler once in 2000 seeds (twelve times two fits and a count).
func TestTiltedHasItsLaw(t *testing.T) {
	s := NewSeededSource([32]byte{7})
	const n = draws / 20
	for _, scale := range []uint64{1, 3, 20} {
		for _, i := range []int64{-15, -3, 1, 10} {
			p := tiltedLaw(i, float64(scale))
			below := p(-1) / (1 - p(-2)/p(-1))
			all, negative := 0., 0.
			side := func(sign int64) func() int64 {
				return func() int64 {
					for {
						x := s.Tilted(i, scale)
						all++
						if x < 0 {
							negative++
						}
						if x < 0 == (sign < 0) {
							return max(x, -1-x)
						}
					}
				}
			}
			for _, sign := range []int64{1, -1} {
				share := 1 - below
				if sign < 0 {
					share = below
				}
				z, k := fit(n, side(sign), func(x int64) float64 {
					switch {
					case x < 0:
						return 0
					case sign < 0:
						x = -1 - x
					}
					return p(x) / share
				})
				checkLaw(t, fmt.Sprintf("%d/16, scale %d, sign %d", i, scale, sign), z, k)
			}
			if sd := math.Sqrt(below * (1 - below) / all); !near(negative/all, below, sd) {
				t.Errorf("%d/16, scale %d: %.5f are negative, want %.5f ± %.5f", i, scale, negative/all, below, sd)
			}
		}
	}
}

// TestTiltedHasItsMean at scales that streams have. It rejects a correct sampler once
// in 2·10^4 seeds (six times |z| > 4.5).
func TestTiltedHasItsMean(t *testing.T) {
	s := NewSeededSource([32]byte{8})
	const n = float64(draws / 4)
	for _, scale := range []uint64{1 << 22, MaxScale / TiltSteps} {
		for _, i := range []int64{-8, 5, 15} {
			mean := 0.
			for range int(n) {
				mean += float64(s.Tilted(i, scale)) / float64(scale) / n
			}
			x := float64(i) / TiltSteps
			want := 2 * x / (1 - x*x)
			if sd := math.Sqrt(2*(1+x*x)/n) / (1 - x*x); !near(mean, want, sd) {
				t.Errorf("%d/16, scale %d: mean %.4f, want %.4f ± %.4f", i, scale, mean, want, sd)
			}
		}
	}
}
