package dp

import (
	"math"
	"slices"
	"testing"

	"peerd.dev/internal/require"
)

// TestNoSplitOfAUsersRecordsCostsMore: however a user's records are split over leaves of several
// streams, what they move in everything drawn is paid for. All in one leaf cost the whole charge;
// with Laplace noise every split does, with Gaussian noise a split over m leaves costs m times
// less.
func TestNoSplitOfAUsersRecordsCostsMore(t *testing.T) {
	const streams, leaves, records = 2, 3, 4
	for _, m := range []Mechanism{EachLaplace, EachGaussian} {
		s := Spec{What: "rewards", Streams: streams, Dim: 1, Hi: 1, Leaves: leaves, RecordsPerUser: records, Mechanism: m, Epsilon: Nano}
		if m.Law() == Gaussian {
			s.Delta = 1e-6
		}
		c := require.Value(s.Charge())(t)
		charged := c.Loss.Pure.Float()
		if m.Law() == Gaussian {
			charged = float64(c.Loss.Square) / Nano
		}
		for code := range 1 << (3 * streams * leaves) { // three bits a leaf
			var in [streams * leaves]int
			sum := 0
			for i := range in {
				in[i] = code >> (3 * i) & 7
				sum += in[i]
			}
			if sum != records {
				continue
			}
			play := func(x float64) []Release {
				d := open(t, s, seeded(4))
				for leaf := range leaves {
					for stream := range streams {
						for range in[stream*leaves+leaf] {
							require.NoError(t, d.Add(StreamID(stream), []float64{x}))
						}
						require.Value(d.Leaf(StreamID(stream), uint64(leaf)+1))(t)
					}
				}
				return slices.Clone(d.TakeDrawn())
			}
			one, other := play(0), play(1)
			if err := covered(s, one, other); err != nil {
				t.Fatalf("records by leaf %v: %v", in, err)
			}
			cost, want := 0., charged
			for i := range one {
				x := float64(one[i].v[0]-other[i].v[0]) / float64(one[i].noise.Scale)
				if m.Law() == Gaussian {
					x *= x
				}
				cost += math.Abs(x)
			}
			if m.Law() == Gaussian {
				squares := 0
				for _, n := range in {
					squares += n * n
				}
				want *= float64(squares) / (records * records)
			}
			if cost < want*.999 {
				t.Errorf("%v, records by leaf %v: cost %v of %v charged, want %v", m, in, cost, charged, want)
			}
		}
	}
}

// TestGaussianLeavesAreWider than Laplace ones under the same budget, by a factor that does not
// depend on a user's number of records: docs/proofs/each.md.
func TestGaussianLeavesAreWider(t *testing.T) {
	for _, epsilon := range []float64{.01, .1, 1, 5, 10, 50} {
		var factors []float64
		for _, records := range []uint64{1, 10, 100} {
			deviation := func(m Mechanism, delta float64) float64 {
				s := Spec{What: "rewards", Streams: 1, Dim: 1, Hi: 1, Leaves: 1, RecordsPerUser: records, Mechanism: m, Epsilon: Cost(epsilon * Nano), Delta: delta}
				c := require.Value(s.Charge())(t)
				n := c.noise()
				return math.Sqrt(n.Variance())
			}
			factors = append(factors, deviation(EachGaussian, 1e-6)/deviation(EachLaplace, 0))
		}
		if factors[0] < 2.1 || math.Abs(factors[2]/factors[0]-1) > .001 {
			t.Errorf("ε = %v: Gaussian over Laplace %v, want more than 2.1 and the same for 1, 10 and 100 records", epsilon, factors)
		}
		t.Logf("ε = %v: %.2f", epsilon, factors[0])
	}
}
