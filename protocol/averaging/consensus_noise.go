package averaging

import (
	"math/bits"

	"peerd.dev/dp"
)

// noisiest caches the greatest noise that running sums of up to a number of leaves can have.
type noisiest struct {
	charge dp.Charge
	upTo   []dp.NoiseMoments // entry l: of up to 2^l leaves
}

// of returns the moments of the noisiest sum of n leaves or fewer. It rounds n up to a power of two
// and computes each once.
func (x *noisiest) of(n uint64) dp.NoiseMoments {
	if x.charge.Scale == 0 || n == 0 {
		return dp.NoiseMoments{}
	}
	level := bits.Len64(min(n, x.charge.Leaves) - 1)
	for l := len(x.upTo); l <= level; l++ {
		from, before := uint64(1), dp.NoiseMoments{}
		if l > 0 {
			from, before = 1<<(l-1)+1, x.upTo[l-1]
		}
		m := x.charge.MostSumNoise(from, min(1<<l, x.charge.Leaves))
		x.upTo = append(x.upTo, dp.NoiseMoments{
			LaplaceSumSq: max(before.LaplaceSumSq, m.LaplaceSumSq),
			LaplaceMax:   max(before.LaplaceMax, m.LaplaceMax),
			GaussVar:     max(before.GaussVar, m.GaussVar),
		})
	}
	return x.upTo[level]
}
