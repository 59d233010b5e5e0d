package dp

import (
	"errors"
	"math"
	"math/big"
	"testing"
)

func TestQuantizeClipsAndRoundsTowardZero(t *testing.T) {
	const unit = 1. / (1 << 20)
	for _, c := range []struct {
		x, lo, hi float64
		want      int64
	}{
		{0, 0, 1, 0},
		{math.Copysign(0, -1), -1, 1, 0},
		{1, 0, 1, 1 << 20},
		{.5, 0, 1, 1 << 19},
		{1.5, 0, 1, 1 << 20},
		{-.5, 0, 1, 0},
		{-7, -1, 1, -1 << 20},
		{unit, -1, 1, 1},
		{1.999 * unit, -1, 1, 1},
		{-unit, -1, 1, -1},
		{-1.999 * unit, -1, 1, -1},
		{math.Nextafter(unit, 0), -1, 1, 0},
		{math.Nextafter(-unit, 0), -1, 1, 0},
		{math.Nextafter(1, 0), 0, 1, 1<<20 - 1},
		{.3, 0, 1, 314572}, // 314572.8
		{-.3, -1, 0, -314572},
		{9, 0, .3, 314572},
		{0, .3, .5, 314572},
		{0, -.5, -.3, -314572},
		{math.SmallestNonzeroFloat64, -1, 1, 0},
		{-math.SmallestNonzeroFloat64, -1, 1, 0},
		{0x1p-1030, -1, 1, 0},
		{1e308, -1, 1, 1 << 20},
		{-1e308, -1, 1, -1 << 20},
		{math.MaxFloat64, -maxClip, maxClip, 1 << 60},
		{-math.MaxFloat64, -maxClip, maxClip, -1 << 60},
		{5, 2, 2, 2 << 20},
	} {
		if got, err := Quantize(c.x, c.lo, c.hi); err != nil || got != c.want {
			t.Errorf("Quantize(%v, %v, %v) = %d, %v, want %d", c.x, c.lo, c.hi, got, err, c.want)
		}
	}
}

func TestQuantizeRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, x := range []float64{nan, inf, -inf} {
		if got, err := Quantize(x, -1, 1); !errors.Is(err, ErrNotFinite) || got != 0 {
			t.Errorf("Quantize(%v) = %d, %v, want %v", x, got, err, ErrNotFinite)
		}
	}
	for _, c := range [][2]float64{{1, -1}, {nan, 1}, {-1, nan}, {-inf, 1}, {-1, inf}, {0, 1e308}, {-1 << 41, 0}} {
		if got, err := Quantize(.5, c[0], c[1]); err == nil {
			t.Errorf("Quantize within %v = %d, want an error", c, got)
		}
	}
}

// FuzzQuantize compares with exact rationals: the result is clip(x)·2^20 rounded toward zero, is
// monotone in x and never farther from zero than clip(x).
func FuzzQuantize(f *testing.F) {
	f.Add(.3, .7, 0., 1.)
	f.Add(-1e308, 1e308, -1., 1.)
	f.Add(math.SmallestNonzeroFloat64, math.Copysign(0, -1), -.1, .1)
	f.Add(math.NaN(), math.Inf(1), 0., 1.)
	f.Add(1e12, -1e12, -1e12, 1e12)
	f.Fuzz(func(t *testing.T, x, y, lo, hi float64) {
		q, err := Quantize(x, lo, hi)
		finite := !math.IsNaN(x) && !math.IsInf(x, 0)
		bounded := -maxClip <= lo && lo <= hi && hi <= maxClip
		if (err == nil) != (finite && bounded) {
			t.Fatalf("Quantize(%v, %v, %v) = %d, %v", x, lo, hi, q, err)
		}
		if err != nil {
			return
		}
		clipped := min(max(x, lo), hi)
		exact := new(big.Rat).SetFloat64(clipped)
		exact.Mul(exact, new(big.Rat).SetInt64(1<<20))
		want := new(big.Int).Quo(exact.Num(), exact.Denom()) // toward zero
		if !want.IsInt64() || q != want.Int64() {
			t.Fatalf("Quantize(%v, %v, %v) = %d, want %v", x, lo, hi, q, want)
		}
		if p, err := Quantize(y, lo, hi); err == nil && (x < y && q > p || x > y && q < p) {
			t.Fatalf("Quantize(%v) = %d but Quantize(%v) = %d", x, q, y, p)
		}
		least, _ := Quantize(lo, lo, hi)
		most, _ := Quantize(hi, lo, hi)
		if q < least || q > most {
			t.Fatalf("Quantize(%v, %v, %v) = %d, not from %d to %d", x, lo, hi, q, least, most)
		}
		if back := math.Ldexp(float64(q), GridExponent); math.Abs(back) > math.Abs(clipped) {
			t.Fatalf("%v became %v", clipped, back)
		}
	})
}
