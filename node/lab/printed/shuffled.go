package printed

import (
	"fmt"
	"math"
	"math/bits"
)

// mostDeviation is the most that noise on the grid can have, 2^40 units of 2^-20, in the units of sums.
const mostDeviation = 1 << 20

// Amplified returns the deviation of a silo's noise that Theorem 5.3 prints for M silos, n releases each in a life of T rounds,
// with O() = 1 and κ = 1 + log2 n:
//
//	σ0 = √(2κ·ln(1/δ)·ln(κ/(δT))·ln(Mκ/δ)/M)/ε.
//
// The theorem leaves constants open and wants an ε of at most √κ/(C1·T·√M) in a life of T rounds, so it says nothing of ε. Where the promise of the own noise
// alone holds, it is by the charge. As in [ZhouChowdhury], σ0 is the noise in each number of both streams, with a sensitivity of 1 each.
func Amplified(epsilon, delta float64, n, rounds uint64, silos int) (float64, error) {
	if err := shuffled(epsilon, delta, n, silos); err != nil {
		return 0, err
	}
	kappa, m := 1+math.Log2(float64(n)), float64(silos)
	log := math.Log(kappa / (delta * float64(rounds)))
	if !(log > 0) {
		return 0, fmt.Errorf("printed: Theorem 5.3 has ln(κ/(δT)), which is not above 0 at delta %v in %d rounds with κ = %.3g; want delta below %.3g", delta, rounds, kappa, kappa/float64(rounds))
	}
	return sane(math.Sqrt(2*kappa*-math.Log(delta)*log*math.Log(m*kappa/delta)/m) / epsilon)
}

// VectorSum returns the deviation of a silo's noise that the programs of Zhou and Chowdhury (2024) draw for the vector sum of Theorem
// 5.5, with features of d numbers. A bag of n records, with b bits of noise each that are 1 with probability p = 1/4, is decoded with a
// variance of
//
//	n·b·p(1-p)/g², b = c·g²·ln²(d²/δ)/(ε²n), c = 1/10,
//
// in each number of the sum, the same for all n. The silos whose noise counts share it, 1/√honest each. The constant is 2.4 million times below
// the one in [VectorSumProven], and a record is in many sums, which the programs do not count: it is not private at ε. As in the programs, d is
// the number of features for vectors and matrices alike, and a record has a norm of 1 in each.
func VectorSum(epsilon, delta float64, d, honest int) (float64, error) {
	if err := shuffled(epsilon, delta, 1, honest); err != nil {
		return 0, err
	}
	return sane(math.Sqrt(.1*3/16/float64(honest)) * math.Abs(math.Log(float64(d)*float64(d)/delta)) / epsilon)
}

// VectorSumProven returns the deviation of a silo's noise in each number with which Algorithms 5 to 7 of Zhou and Chowdhury (2024) are
// (ε, δ)-private, for records of d numbers and n releases. By Cheu, Joseph, Mao and Peng (2021) one sum is (ε0, δ0)-private for ε0 ≤ 15 with
//
//	b = 24·10^4·g²·ln²(4(d²+1)/δ0)/(ε0²·n)
//
// bits for a record of norm 1 at most, and the variance is as in [VectorSum]. A record is in κ = 1 + ⌊log2 n⌋ sums, each with
// ε0 = ε/(2√(2κ ln(2/δ))) and δ0 = δ/(2κ). Each of the honest silos draws a share.
//
// Our record is one vector (xy, svec(xxᵀ)) of d = k + k(k+1)/2 numbers for k features, and its norm is at most √2. So it is one
// stream, for which the whole budget pays, where the paper halves it for two. Such a record is scaled by 1/√2 for the encoding and back by the
// decoding, so the deviation is √2 times as large; two streams would have a factor of 2.
//
// The composition needs κ·ε0·tanh(ε0/2) ≤ ε/2 in addition (Kairouz, Oh and Viswanath 2015). The paper does not say so; with κ > 2 ln(2/δ) it
// fails below ε0 = 15. It is an error where one of these fails.
func VectorSumProven(epsilon, delta float64, d int, n uint64, honest int) (float64, error) {
	if err := shuffled(epsilon, delta, n, honest); err != nil {
		return 0, err
	}
	kappa := float64(bits.Len64(n))
	epsilon0, delta0 := epsilon/(2*math.Sqrt(2*kappa*math.Log(2/delta))), delta/(2*kappa)
	if epsilon0 > 15 || kappa*epsilon0*math.Tanh(epsilon0/2) > epsilon/2 {
		return 0, fmt.Errorf("printed: epsilon %v is %.3g for each of the %v sums of a record, for which the vector sum is not proved; lower epsilon", epsilon, epsilon0, kappa)
	}
	return sane(math.Sqrt(2*24e4*3/16/float64(honest)) * math.Log(4*(float64(d)*float64(d)+1)/delta0) / epsilon0)
}

// shuffled refuses arguments for which the formulas above mean nothing.
func shuffled(epsilon, delta float64, n uint64, silos int) error {
	if epsilon > 0 && 0 < delta && delta < 1 && n > 0 && silos > 0 {
		return nil
	}
	return fmt.Errorf("printed: epsilon %v, delta %v, %d releases and %d silos, want numbers above 0 and delta below 1", epsilon, delta, n, silos)
}

// sane refuses a deviation that noise on the grid cannot have.
func sane(sigma float64) (float64, error) {
	if !(0 < sigma && sigma <= mostDeviation) {
		return 0, fmt.Errorf("printed: noise of deviation %.3g, want one above 0 and at most 2^20, which are 2^40 units of 2^-20; raise epsilon or delta", sigma)
	}
	return sigma, nil
}
