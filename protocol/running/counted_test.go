package running

import (
	"math"
	"testing"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// A said is what one site says of an arm.
type said struct {
	belief.Site
	noised float64 // number of rewards
	known  bool
}

// sitesOf returns what sites say of an arm with n rewards y, after leaf 13.
func sitesOf(t *testing.T, m dp.Mechanism, n int, y float64) []said {
	t.Helper()
	const sites, leaves = 1000, 13
	s := dp.Spec{
		What: "test", Streams: sites, Shape: dp.Counted, Dim: 1, Hi: 1, Leaves: leaves, RecordsPerUser: 1,
		Adjacency: dp.AddOrRemove, Mechanism: m, Epsilon: dp.Nano,
	}
	budget := account.Budget{Epsilon: dp.Nano}
	if m.Law() == dp.Gaussian {
		s.Delta, budget.Delta = 1e-6, 1e12
	}
	d, err := dp.NewCurator(dp.Lockstep, vouch.For(budget), dp.NewSeededSource([32]byte{7}))
	if err != nil {
		t.Fatal(err)
	}
	require.Value(d.Open(s))(t)
	all := make([]said, sites)
	for i := range all {
		id := dp.StreamID(i)
		for range n {
			require.NoError(t, d.Add(id, []float64{y}))
		}
		for k := uint64(1); k <= leaves; k++ {
			l := require.Value(d.Leaf(id, k))(t)
			all[i].noised = l.Sum.At(0) + l.Sum.At(1)
			all[i].Site, all[i].known = countedSample(0, &l.Sum, 0)
		}
	}
	return all
}

// everyRunning runs f for every mechanism with noise whose sums rows can carry.
func everyRunning(t *testing.T, f func(t *testing.T, m dp.Mechanism)) {
	t.Helper()
	for _, m := range dp.Mechanisms() {
		if m != dp.None && m.Running() {
			t.Run(m.String(), func(t *testing.T) { f(t, m) })
		}
	}
}

// TestASampleOfCountedRecords has the noise of one sum where all rewards are 1 or 0, half of
// its variance where they are ½, and no bias.
func TestASampleOfCountedRecords(t *testing.T) {
	everyRunning(t, func(t *testing.T, m dp.Mechanism) {
		for y, share := range map[float64]float64{0: 1, .5: .5, 1: 1} {
			all := sitesOf(t, m, 1500, y)
			var sum, square float64
			for _, c := range all {
				if !c.known {
					t.Fatal("nothing is known of 1,500 rewards")
				}
				e := (c.Mean - y) / math.Sqrt(2*c.LaplaceSumSq+c.GaussVar)
				sum, square = sum+e, square+e*e
			}
			// The mean of 1,000 squares of Laplace numbers is right to √(5/1000) = 7 %.
			n := float64(len(all))
			if got := square / n; got < share*.78 || got > share*1.22 {
				t.Errorf("rewards of %v: errors of %.3f of the variance that is said, want %v", y, got, share)
			}
			if mean := sum / n; math.Abs(mean) > .12 {
				t.Errorf("rewards of %v: a bias of %.3f deviations", y, mean)
			}
		}
	})
}

// TestTheNumberOfRewardsIsAllowedFor: a sample is no surer than the true number of rewards
// over the noised one makes it, and of an arm without rewards most sites know nothing.
func TestTheNumberOfRewardsIsAllowedFor(t *testing.T) {
	everyRunning(t, func(t *testing.T, m dp.Mechanism) {
		for _, n := range []int{0, 20, 200, 1500} {
			unknown := 0
			for _, c := range sitesOf(t, m, n, 1) {
				if !c.known {
					unknown++
					continue
				}
				if most := c.noised * c.noised / c.N; most < float64(n) || most > c.noised+1200 {
					t.Fatalf("%d rewards, %.1f with noise: allows for %.1f", n, c.noised, most)
				}
			}
			if n == 0 && unknown < 750 || n == 1500 && unknown > 0 {
				t.Errorf("%d rewards: nothing is known at %d of 1000 sites", n, unknown)
			}
		}
	})
}
