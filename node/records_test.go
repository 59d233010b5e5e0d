package node_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// twoFeatures is a learner by two features.
func twoFeatures(records linear.Records) bandit.Params {
	return linear.LinUCBParams{Features: 2, Index: linear.SampledIndex, Radius: 1, Records: records, Map: bandit.Concat}
}

// byFeatures is a network of one site with a learner by two features.
func byFeatures(learner bandit.Params) node.Spec {
	return node.Spec{
		Arms: 2, Graph: [][]protocol.Peer{nil}, Learner: learner,
		Protocol: batches.BatchParams{First: 5, DecideFrom: batches.FromReleases, Pull: 20, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1},
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano, Delta: 1e12}, Mechanism: dp.EachGaussian, RecordsPerUser: 1, Horizon: 1000,
		},
	}
}

// recorder turns decisions into what their records add to sums.
type recorder struct {
	t       *testing.T
	learner bandit.Learner
	kind    gram.Kind
	charge  dp.Charge
	curator *dp.Curator // without noise
	leaf    uint64
	before  [10]float64 // sums of earlier leaves
}

func newRecorder(t *testing.T, learner bandit.Params) *recorder {
	t.Helper()
	s := byFeatures(learner)
	streams, err := s.Streams()
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t}
	r.charge = require.Value(streams.Charge())(t)
	r.learner = require.Value(s.NewLearner(node.Coins{}))(t)
	r.kind = map[bandit.Kind]gram.Kind{bandit.Linear: gram.Linear, bandit.Corner: gram.Corner, bandit.Centred: gram.Centred}[r.learner.Statistic().Kind]
	streams.Mechanism, streams.Leaves = dp.None, dp.MaxLeaves
	r.curator = require.Value(dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), dp.NewSeededSource([32]byte{1})))(t)
	require.Value(r.curator.Open(streams))(t)
	return r
}

// sums returns what the record of an action with numbers z adds, as learners read it, with the charged noise.
func (r *recorder) sums(z bandit.Features, y float64) gram.Gram {
	r.t.Helper()
	if err := r.curator.Add(0, r.learner.Update(bandit.Pull{Features: z, Reward: bandit.Reward(y)}, nil)); err != nil {
		r.t.Fatal(err)
	}
	r.leaf++
	leaf, err := r.curator.Leaf(0, r.leaf)
	if err != nil {
		r.t.Fatal(err)
	}
	sums := make([]float64, leaf.Sum.Len())
	for i := range sums {
		sum := leaf.Sum.At(i)
		sums[i], r.before[i] = sum-r.before[i], sum
	}
	deviation := math.Ldexp(float64(r.charge.Scale), dp.GridExponent)
	g, err := gram.Of(sums, deviation*deviation, r.kind, r.learner.Statistic().Dim)
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

// moved returns by how many deviations of the noise two records differ.
func (r *recorder) moved(a, b []float64) float64 {
	r.t.Helper()
	g, h := r.sums(a[:2], a[2]), r.sums(b[:2], b[2])
	square := 0.
	for i := range g.V.SymmetricDim() {
		d := g.B.AtVec(i) - h.B.AtVec(i)
		square += d * d / g.Noise.B
		for j := range i + 1 {
			d, variance := g.V.At(i, j)-h.V.At(i, j), g.Noise.Off
			if i == j {
				variance = g.Noise.Diagonal
			}
			square += d * d / variance
		}
	}
	return math.Sqrt(square)
}

// TestRecordsMoveWhatIsCharged: the two decisions whose records are farthest apart, in deviations
// of the noise that learners assume, differ by exactly the charged μ, up to the rounding of
// noise, for every kind of records; so no entry has more noise than necessary. The test finds
// them by climbing from random pairs, with features of any norm up to 1 and rewards from 0 to 1.
func TestRecordsMoveWhatIsCharged(t *testing.T) {
	for records, learner := range map[string]bandit.Params{
		"plain": twoFeatures(linear.WithoutSquares), "centred": twoFeatures(linear.CentredRewards),
		"squares": printed.LinUCBParams{Features: 2, Index: printed.PrintedIndex, Records: printed.WithSquares},
	} {
		t.Run(records, func(t *testing.T) {
			r, rng := newRecorder(t, learner), rand.New(rand.NewPCG(1, 2))
			charged := float64(r.charge.Loss.Square.Mu())
			near := func(x []float64, by float64) []float64 {
				x = slices.Clone(x)
				for i := range x {
					x[i] += by * rng.NormFloat64()
				}
				if norm := math.Hypot(x[0], x[1]); norm > 1 {
					x[0], x[1] = x[0]/norm, x[1]/norm
				}
				x[2] = max(0, min(x[2], 1))
				return x
			}
			most := 0.
			for range 12 {
				a, b := near([]float64{0, 0, .5}, .5), near([]float64{0, 0, .5}, .5)
				best := r.moved(a, b)
				for step := range 300 {
					by := .5 * math.Pow(.98, float64(step))
					if c, d := near(a, by), near(b, by); r.moved(c, d) > best {
						a, b, best = c, d, r.moved(c, d)
					}
				}
				most = max(most, best)
			}
			t.Logf("at most %.6f of what is charged", most/charged)
			if most > charged || most < .999*charged {
				t.Errorf("records are %.6f apart, %.6f is charged", most, charged)
			}
		})
	}
}

// TestCentredRecordsAreOfTheRewardLessOneHalf: with the features followed by a constant, and no
// reward is clipped.
func TestCentredRecordsAreOfTheRewardLessOneHalf(t *testing.T) {
	r := newRecorder(t, twoFeatures(linear.CentredRewards))
	for _, y := range []float64{0, .25, .5, 1} {
		z := bandit.Features{.6, -.3}
		x := []float64{math.Sqrt(.75) * z[0], math.Sqrt(.75) * z[1], .5}
		g := r.sums(z, y)
		for i := range x {
			if math.Abs(g.B.AtVec(i)-x[i]*(y-.5)) > 1e-5 {
				t.Errorf("reward %v: entry %d of the vector is %v, want %v", y, i, g.B.AtVec(i), x[i]*(y-.5))
			}
			for j := range x {
				if math.Abs(g.V.At(i, j)-x[i]*x[j]) > 1e-5 {
					t.Errorf("entry %d, %d of the matrix is %v, want %v", i, j, g.V.At(i, j), x[i]*x[j])
				}
			}
		}
	}
}

// TestCentredRewardsAreNotZeroedOut: a centred reward of 0 adds something.
func TestCentredRewardsAreNotZeroedOut(t *testing.T) {
	for _, records := range []linear.Records{linear.WithoutSquares, linear.CentredRewards} {
		s := byFeatures(twoFeatures(records))
		require.NoError(t, s.Check())
		s.Privacy.Adjacency = dp.ZeroOut
		_, err := s.Agent(node.PeerConfig{Noise: dp.NewSecureSource()})
		if refused := err != nil && strings.Contains(err.Error(), "rewards cannot be centred"); refused != (records == linear.CentredRewards) {
			t.Errorf("%s: %v", records, err)
		}
	}
}
