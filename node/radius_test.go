package node_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/protocol"
)

// TestTheRadiusCoversTheSumsOfEveryMechanism draws real noise on fair coins, the rewards of the
// greatest variance, and counts the streams whose mean is outside of the radius that the learner
// computes from the release's moments. A share of 2/t² is allowed: a greater number is an error
// if it has a probability below 1e-6, for all cases together. The test also checks that such a
// count detects a radius that is too small: 30 % smaller with Gaussian noise or none, and 55 %
// with Laplace noise, for which Chernoff's bound is so wide that 30 % less rarely breaks the
// promise.
func TestTheRadiusCoversTheSumsOfEveryMechanism(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	const rounds, leaves = 40, 31
	looked := []uint64{1, 7, 16, leaves}
	cases := []struct {
		epsilon dp.Cost
		streams int
	}{{dp.Nano / 10, 8000}, {5 * dp.Nano, 2000}} // most of the radius is for noise; rewards count as much
	alarm := 1e-6 / float64(len(dp.Mechanisms())*len(cases)*len(looked))
	for _, m := range dp.Mechanisms() {
		share, records := .7, 1 // of the radius, which would be too small
		if m.Law() == dp.Laplace && m != dp.None {
			share = .45
		}
		if !m.Running() {
			records = 16 // a leaf has no other stream's records
		}
		for _, c := range cases {
			t.Run(fmt.Sprintf("%v, ε %v", m, c.epsilon), func(t *testing.T) {
				budget := account.Budget{Epsilon: c.epsilon}
				switch {
				case m == dp.None:
					budget = account.Unlimited
				case m.Law() == dp.Gaussian:
					budget.Delta = 1000 // of a billion
				}
				p := node.Privacy{Mode: dp.Lockstep, Budget: budget, Mechanism: m, RecordsPerUser: 1, Horizon: leaves}
				curator, err := dp.NewCurator(p.Mode, vouch.For(p.Budget), dp.NewSeededSource([32]byte{7}))
				if err != nil {
					t.Fatal(err)
				}
				require.Value(curator.Open(p.Streams(bandit.Statistic{Parts: c.streams, Dim: 1}, protocol.Cadence{})))(t)
				ucb := learner.UCBParams{}
				learner := require.Value(bandit.New(ucb, bandit.Config{Arms: 1, Peers: 1}))(t)
				coins := rand.New(rand.NewPCG(8, 9))
				found := false
				for k := uint64(1); k <= leaves; k++ {
					outside, outsideLess := 0, 0
					var radius bandit.Radius
					for s := range dp.StreamID(c.streams) {
						for range records {
							require.NoError(t, curator.Add(s, []float64{float64(coins.IntN(2))}))
						}
						leaf := require.Value(curator.Leaf(s, k))(t)
						n := float64(leaf.Sum.Count(0))
						noise := leaf.Sum.NoiseMoments().Over(n)
						b := bandit.Belief{Pulls: []uint64{uint64(n)}, Means: belief.Means{
							X: []float64{leaf.Sum.At(0) / n}, SampleVar: []float64{1 / n},
							LaplaceSumSq: []float64{noise.LaplaceSumSq}, LaplaceMax: []float64{noise.LaplaceMax}, GaussVar: []float64{noise.GaussVar},
						}}
						radius = learner.(bandit.Bounder).Radii(nil, &b, rounds-2)[0]
						if off := math.Abs(b.X[0] - .5); off > radius.Size {
							outside++
							outsideLess++
						} else if off > share*radius.Size {
							outsideLess++
						}
					}
					curator.TakeDrawn()
					if !slices.Contains(looked, k) {
						continue
					}
					allowed := float64(c.streams) * radius.Miss
					chance := func(n int) float64 { // of n or more
						return mathext.RegIncBeta(float64(n), float64(c.streams-n+1), radius.Miss)
					}
					t.Logf("leaf %d: radius %.3g, outside %d of %d, of %.0f %% of it %d; allowed %.1f", k, radius.Size, outside, c.streams, 100*share, outsideLess, allowed)
					if outside > 0 && chance(outside) < alarm {
						t.Errorf("leaf %d: %d of %d outside of the radius, allowed %.1f", k, outside, c.streams, allowed)
					}
					found = found || outsideLess > 0 && chance(outsideLess) < alarm
				}
				if !found && c.epsilon < dp.Nano {
					t.Errorf("a radius of %.0f %% would not be found", 100*share)
				}
			})
		}
	}
}
