package dp

import "testing"

// TestNoSumHasMoreThanMostNoise: in one life, and in two that separate at any leaf, of which the
// second begins on top of the first.
func TestNoSumHasMoreThanMostNoise(t *testing.T) {
	const leaves = 600
	for _, mechanism := range Mechanisms() {
		s := Spec{What: "rewards", Streams: 1, Dim: 1, Hi: 1, Leaves: leaves, RecordsPerUser: 1, Mechanism: mechanism, Epsilon: Nano}
		if mechanism.Law() == Gaussian {
			s.Delta = 1e-6
		}
		c, err := s.Charge()
		if err != nil {
			t.Fatal(err)
		}
		for leaf := uint64(1); leaf <= leaves; leaf++ {
			for first := uint64(0); first < leaf; first += 1 + first/4 {
				sum := c.SumNoise(leaf - first)
				if first > 0 {
					sum = sum.Plus(c.SumNoise(first))
				}
				most := c.MostNoise(Span{To: leaf})
				if sum.Scale > most.Scale || sum.VarianceUnits > most.VarianceUnits {
					t.Fatalf("%v: a sum of %d leaves and %d has %+v, more than %+v", mechanism, first, leaf-first, sum, most)
				}
			}
		}
	}
}
