package factor

import (
	"math"
	"math/big"
	"testing"
)

// series returns the coefficients of C, and of B = A·C^(-1) by division.
func (b BLT) series(n int) (c, inverse []float64) {
	c, inverse = make([]float64, n), make([]float64, n)
	for k := range n {
		c[k] = 1
		if k > 0 {
			c[k] = 0
			for _, x := range b {
				c[k] += x.Weight * math.Pow(1-x.Decay, float64(k-1))
			}
		}
		inverse[k] = 1
		for i := 1; i <= k; i++ {
			inverse[k] -= c[i] * inverse[k-i]
		}
	}
	return c, inverse
}

// TestBLTInClosedForm compares norms of columns and rows with sums over coefficients.
func TestBLTInClosedForm(t *testing.T) {
	const n = 1500
	for _, e := range blts {
		c, inverse := e.blt.series(n)
		poles := e.blt.Inverse()
		column, row := 0.0, 0.0
		for k := range n {
			column += c[k] * c[k]
			row += inverse[k] * inverse[k]
			got := e.blt.Column(uint64(k + 1)).Float()
			if got < column*(1-1e-12) || got > column+1e-9 {
				t.Fatalf("horizon %d: column of %d is %v, want %v", e.leaves, k+1, got, column)
			}
			if v := poles.Variance(uint64(k + 1)); math.Abs(v/row-1) > 1e-9 {
				t.Fatalf("horizon %d: variance at %d is %v, want %v", e.leaves, k+1, v, row)
			}
		}
	}
}

// TestNormsErrUpward compares with exact arithmetic on the factors that mechanisms use, in units
// of 2^-64, up to the greatest horizons.
func TestNormsErrUpward(t *testing.T) {
	const precision = 400
	number := func(w uint64) *big.Float {
		x := new(big.Float).SetPrec(precision).SetUint64(w)
		return x.SetMantExp(x, -64)
	}
	one := new(big.Float).SetPrec(precision).SetInt64(1)
	mul := func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(x, y) }
	for _, e := range blts {
		for _, n := range []uint64{1, 2, 3, e.leaves/2 + 1, e.leaves} {
			want := new(big.Float).Copy(one)
			for _, x := range e.blt {
				for _, y := range e.blt {
					theta, omega := x.Factor()
					eta, psi := y.Factor()
					q := mul(number(theta), number(eta))
					power := new(big.Float).Copy(one)
					for i, square := n-1, new(big.Float).Copy(q); i > 0; i, square = i>>1, mul(square, square) {
						if i&1 == 1 {
							power = mul(power, square)
						}
					}
					sum := new(big.Float).SetPrec(precision).Sub(one, power)
					sum.Quo(sum, q.Sub(one, q))
					want.Add(want, mul(sum, mul(number(omega), number(psi))))
				}
			}
			got := new(big.Float).SetPrec(precision).SetUint64(uint64(e.blt.Column(n)))
			got.SetMantExp(got, -normBits)
			excess, _ := got.Sub(got, want).Float64()
			if excess < 0 || excess > 1e-8 {
				t.Errorf("buffers of %d, %d leaves: norm² is above the exact one by %v", e.leaves, n, excess)
			}
		}
	}
	for _, n := range []uint64{1, 2, 7, 400} {
		s := NewSqrt(n)
		want := new(big.Float).Copy(one)
		for _, f := range s {
			want.Add(want, mul(number(f), number(f)))
		}
		got := new(big.Float).SetPrec(precision).SetUint64(uint64(s.Column()))
		got.SetMantExp(got, -normBits)
		excess, _ := got.Sub(got, want).Float64()
		if excess < 0 || excess > 1e-8 {
			t.Errorf("square root, %d leaves: norm² is above the exact one by %v", n, excess)
		}
	}
}

// TestTheSquareRootSquared multiplies the coefficients with themselves.
func TestTheSquareRootSquared(t *testing.T) {
	f := []float64{1}
	for _, w := range NewSqrt(1000) {
		f = append(f, float64(w)*0x1p-64)
	}
	for k := range f {
		sum := 0.0
		for i := range k + 1 {
			sum += f[i] * f[k-i]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("entry %d of the square is %v", k, sum)
		}
	}
}

// TestTheTableIsCloseToTheSquareRoot: every horizon is within 3 %, both the tabled ones and those
// that use the buffers of the next one.
func TestTheTableIsCloseToTheSquareRoot(t *testing.T) {
	check := func(n uint64) {
		s := (math.Log(float64(n)) + 0.5772156649015329 + 4*math.Ln2) / math.Pi
		if r := BLTFor(n).Error(n) / (s * s); r > 1.03 || r < .98 {
			t.Errorf("%d leaves: %.4f of the square root", n, r)
		}
	}
	for _, e := range blts {
		check(e.leaves)
	}
	for n := 16.0; n <= 1<<30; n *= 1.05 {
		check(uint64(n))
	}
}
