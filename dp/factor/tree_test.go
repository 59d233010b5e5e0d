package factor

import (
	"math"
	"math/bits"
	"testing"
)

// TestTheHybridIsPaidForEveryLeaf counts how many increments and nodes every leaf lies in.
func TestTheHybridIsPaidForEveryLeaf(t *testing.T) {
	const n = 300
	var (
		increments [n + 1]int
		nodes      [n + 1]int
	)
	for k := uint64(1); k <= n; k++ {
		block, offset := HybridBlock(k)
		if offset == 0 {
			for i := k/2 + 1; i <= k; i++ {
				increments[i]++
			}
			continue
		}
		for i := offset&(offset-1) + 1; i <= offset; i++ {
			nodes[1<<block+i]++
		}
	}
	for i := uint64(1); i <= n; i++ {
		block, _ := HybridBlock(i)
		if increments[i] > 1 || i <= 256 && increments[i] != 1 {
			t.Errorf("leaf %d lies in %d increments", i, increments[i])
		}
		if nodes[i] > HybridLevels(block) {
			t.Errorf("leaf %d lies in %d nodes, %d are paid for", i, nodes[i], HybridLevels(block))
		}
		if i&(i-1) == 0 && block > 0 && block < 8 && nodes[i+1] != HybridLevels(block) {
			t.Errorf("block %d: the first leaf lies in %d nodes, %d are paid for", block, nodes[i+1], HybridLevels(block))
		}
	}
}

// estimate returns the coefficients of the noise of all nodes of level z, of which the newest
// ends at leaf t, in its estimate from below, and adds their squares.
func estimate(z int) (squares float64) {
	if z == 0 {
		return 1
	}
	w := float64(HonakerWeight(z)) * 0x1p-64
	return w*w + (1-w)*(1-w)*2*estimate(z-1)
}

// TestHonakersWeightsAreTheBest checks that the weights have the stated variance, and that no
// other weight has less.
func TestHonakersWeightsAreTheBest(t *testing.T) {
	for z := 1; z <= 12; z++ {
		got, want := estimate(z), HonakerVariance(1<<z)
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("level %d: variance %v, want %v", z, got, want)
		}
		if halves := 2 * HonakerVariance(1<<(z-1)); math.Abs(1/want-1-1/halves) > 1e-12 {
			t.Errorf("level %d: variance %v of 1 and %v", z, want, halves)
		}
	}
	for k := uint64(1); k < 5000; k += 7 {
		sum := 0.0
		for rest := k; rest > 0; rest &= rest - 1 {
			sum += HonakerVariance(1 << bits.TrailingZeros64(rest))
		}
		if math.Abs(sum-HonakerVariance(k)) > 1e-12 {
			t.Errorf("leaf %d: variance %v, want %v", k, HonakerVariance(k), sum)
		}
	}
	if w := HonakerWeight(62); w>>32 != 1<<31 {
		t.Errorf("the weight of level 62 is %#x/2^64, want a little over a half", w)
	}
}
