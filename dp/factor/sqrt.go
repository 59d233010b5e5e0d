package factor

import "math/big"

// A Sqrt is the square root of A for a horizon: B and C are the Toeplitz matrix with
// coefficients f_0 = 1, f_k = f_(k-1)·(2k-1)/2k (Fichtenberger, Henzinger and Upadhyay
// 2023; Henzinger, Upadhyay and Upadhyay 2023). Coefficients after the first, entry
// k-1 being f_k, are in units of 2^-64, rounded down.
type Sqrt []uint64

// NewSqrt returns the coefficients f_1 … f_(n-1) for n ≥ 1 leaves.
func NewSqrt(n uint64) Sqrt {
	s := make(Sqrt, n-1)
	f, k := new(big.Int).Lsh(big.NewInt(1), 128), new(big.Int)
	for i := range s {
		f.Mul(f, k.SetInt64(2*int64(i)+1))
		f.Quo(f, k.SetInt64(2*int64(i)+2))
		s[i] = k.Rsh(f, 64).Uint64()
	}
	return s
}

// Column returns a bound of the squared norm of a column of C.
func (s Sqrt) Column() Norm {
	sum, square := big.NewInt(0), new(big.Int)
	for _, f := range s {
		square.SetUint64(f)
		sum.Add(sum, square.Mul(square, square))
	}
	return 1<<normBits + Norm(sum.Rsh(sum, 128-normBits).Uint64()) + 1
}

// SqrtVariance returns the variance of the sum at leaf t in units of the variance of an entry of
// z: S(t) = Σ f_k² over k < t. With noise for the norm of a column of n leaves, the variance is
// S(t)·S(n) times that for norm 1.
func SqrtVariance(t uint64) float64 {
	sum, f := 0.0, 1.0
	for k := range t {
		sum += float64(f * f)
		f *= float64(2*k+1) / float64(2*k+2)
	}
	return sum
}
