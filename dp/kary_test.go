package dp

import (
	"fmt"
	"math"
	"testing"
	"testing/cryptotest"

	"peerd.dev/dp/account"
	"peerd.dev/dp/factor"
	"peerd.dev/dp/mechanism/running"
)

// signedNodes returns the nodes of the sum at leaf t, by level and number, with their signs.
func signedNodes(a factor.Kary, t uint64) map[[2]int64]float64 {
	nodes := map[[2]int64]float64{}
	left := int64(t)
	for j, d := range a.Digits(t) {
		left = (left - d) / int64(a.Base) // level j+1 ends at left nodes of that level
		for n := int64(0); n < max(d, -d); n++ {
			if d > 0 {
				nodes[[2]int64{int64(j), left*int64(a.Base) + n}] = 1
			} else {
				nodes[[2]int64{int64(j), left*int64(a.Base) - n - 1}] = -1
			}
		}
	}
	return nodes
}

// TestKaryChargesEveryNodeOfARecord: a record is in as many nodes, counted one by one over all sums, as its charge pays for with the noise
// that the streams have.
func TestKaryChargesEveryNodeOfARecord(t *testing.T) {
	for _, n := range []uint64{1, 4, 13, 100, 1000, 3000} {
		a, drawn, most := factor.KaryFor(n), make(map[[2]int64]bool), 0
		for k := uint64(1); k <= n; k++ {
			for v := range signedNodes(a, k) {
				drawn[v] = true
			}
		}
		for leaf := range n {
			at, nodes := int64(leaf), 0
			for level := range int64(a.Levels) {
				if drawn[[2]int64{level, at}] {
					nodes++
				}
				at /= int64(a.Base)
			}
			most = max(most, nodes)
		}
		c := open(t, mechanismSpec(Kary, n), seeded(1)).TakeCharges()[0]
		if paid := float64(c.Loss.Pure) / account.Nano * float64(c.Scale) / float64(c.Change()); paid < float64(most) || most < a.Levels {
			t.Errorf("%d leaves: a record is in %d nodes of %d levels, and %v are paid for", n, most, a.Levels, paid)
		}
	}
}

// TestKaryNoiseIsThatOfItsNodes compares the covariance of the noise in all pairs of sums with
// their common nodes, in a life that does not stop and in lives that replay their first leaves,
// after each of them, and then draw. Over 8000 entries, a covariance of sums with k and l nodes
// deviates by at most √(5kl/8000) of a node's variance; one of 1300 pairs is off by five times
// that in fewer than one of 1000 seeds.
func TestKaryNoiseIsThatOfItsNodes(t *testing.T) {
	const width = 8000
	for _, a := range []factor.Kary{{Base: 3, Levels: 3}, {Base: 5, Levels: 2}, {Base: 7, Levels: 2}} {
		n := uint64(12)
		t.Run(fmt.Sprint(a), func(t *testing.T) {
			c := Charge{Streams: 1, Dim: width, Leaves: n, Mechanism: Kary, Scale: 1 << 10}
			life := func() (*stream, *drawer) {
				d := design(Kary)
				return newStream(0, &c, &d, running.KaryLayout(a), new(arena)), &drawer{src: NewSecureSource(), hidden: new(hiddenNoise)}
			}
			for stop := range n {
				cryptotest.SetGlobalRandom(t, stop) // a seeded Source keeps nothing hidden
				first, one := life()
				second, other := life()
				sums := make([][]int64, n+1)
				for k := uint64(1); k <= n; k++ {
					var leaf Leaf
					if k <= stop {
						closeLeaf(t, first, one, nil, &leaf)
						other.hidden.recorded, one.hidden.fresh = one.hidden.fresh, nil
						closeLeaf(t, second, other, leaf.Node.v, &leaf)
					} else {
						closeLeaf(t, second, other, nil, &leaf)
					}
					sums[k] = leaf.Sum.v
					for j := uint64(1); j <= k; j++ {
						got, want := 0., 0.
						for i := range width {
							got += float64(sums[j][i]) * float64(sums[k][i]) / (2 << 20) / width
						}
						one, other := signedNodes(a, j), signedNodes(a, k)
						for v, sign := range one {
							want += sign * other[v]
						}
						if math.Abs(got-want) > 5*math.Sqrt(5*float64(len(one)*len(other))/width) {
							t.Errorf("stopped at %d: covariance of leaves %d and %d is %.3f nodes, want %v", stop, j, k, got, want)
						}
					}
				}
			}
		})
	}
}
