package learner

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/internal/require"
)

// hostileNumbers are numbers that rows of a liar can lead to: sums of up to 2^56 rewards, and means of few rewards with noise.
func hostileNumbers() []float64 {
	return []float64{0, 1e-12, .01, .5, .999, 1, 1.5, 40, 1e6, 1e12, 1 << 56, math.MaxUint64}
}

// hostile draws a belief about a statistic from rows of which some are lies: the counts, means and noise of each site are
// arbitrary, and the rest follows from them as protocols compute it.
func hostile(r *rapid.T, s bandit.Statistic, peers int) *bandit.Belief {
	b := belief.New(s.Parts, s.Width())
	number := func(what string) float64 {
		x := rapid.SampledFrom(hostileNumbers()).Draw(r, what)
		if rapid.Bool().Draw(r, what+", negative") {
			return -x
		}
		return x
	}
	size := func(what string) float64 { return math.Abs(number(what)) }
	for part := range s.Parts {
		x, rows := b.X[part*s.Width():(part+1)*s.Width()], b.Sites[part]
		total := 0.
		for p := range peers {
			if rapid.Bool().Draw(r, "silent") {
				continue
			}
			row := belief.Site{Peer: p, N: max(1, size("rewards")), LaplaceMax: size("scale"), GaussVar: size("variance")}
			row.LaplaceSumSq, row.Released = row.LaplaceMax*row.LaplaceMax, row.N
			if s.Kind == bandit.Sum && s.Dim == 1 {
				row.Mean = number("mean")
			} else {
				for range s.Width() {
					row.Sum = append(row.Sum, number("sum"))
				}
			}
			rows = append(rows, row)
			total += row.N
		}
		if b.Sites[part] = rows; len(rows) == 0 {
			continue
		}
		n := float64(len(rows))
		b.SampleVar[part], b.PerSite[part] = 0, total/n
		for _, row := range rows {
			if row.Sum == nil {
				x[0] += row.Mean / n
				b.SampleVar[part] += 1 / (n * n * row.N)
				b.LaplaceSumSq[part] += row.LaplaceSumSq / (n * n)
				b.LaplaceMax[part] = max(b.LaplaceMax[part], row.LaplaceMax/n)
				b.GaussVar[part] += row.GaussVar / (n * n)
				continue
			}
			for i, v := range row.Sum {
				x[i] += v
			}
			b.SampleVar[part] = 1 / total
			b.LaplaceSumSq[part] += row.LaplaceSumSq
			b.LaplaceMax[part] = max(b.LaplaceMax[part], row.LaplaceMax)
			b.GaussVar[part] += row.GaussVar
		}
		b.Pulls[part] = uint64(rapid.IntRange(0, 1000).Draw(r, "pulls"))
		b.Ahead[part] = rapid.Bool().Draw(r, "ahead")
		b.Own = append(b.Own, number("own"))
	}
	for len(b.Own) < s.Parts {
		b.Own = append(b.Own, math.Inf(-1))
	}
	if rapid.Bool().Draw(r, "an epoch is complete") {
		b.Epoch, b.Revision = 1, 1
		b.Epochs = []belief.Means{b.Means}
	}
	return &b
}

// TestLearnersSurviveHostileRows: whatever rows liars send, every learner of the table chooses an arm that is not excluded, with a
// probability, says finite numbers, and goes on from its saved state.
func TestLearnersSurviveHostileRows(t *testing.T) {
	const arms, peers = 4, 3
	for _, p := range All() {
		t.Run(p.Words().Name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				c := bandit.Config{Arms: arms, Peers: peers, Horizon: 1 << 20, Leaves: 1 << 20, Epsilon: 1, Rand: rand.New(rand.NewPCG(1, 2))}
				l := require.Value(bandit.New(bandit.Small(p), c))(r)
				for round := range rapid.IntRange(1, 4).Draw(r, "beliefs") {
					b := hostile(r, l.Statistic(), peers)
					if q, ok := l.(bandit.Phased); ok {
						for i := range q.Quota(b) {
							b.Forced = append(b.Forced, i)
						}
					}
					turn := bandit.Turn{Round: uint64(round * 1000)}
					if rapid.Bool().Draw(r, "one is excluded") {
						turn.Excluded = []bandit.Arm{bandit.Arm(rapid.IntRange(0, arms-1).Draw(r, "excluded"))}
					}
					if d := bandit.TraitsOf(bandit.Small(p)).Inputs.Dim(); d > 0 {
						for range arms {
							x := make(bandit.Features, d)
							x[rapid.IntRange(0, d-1).Draw(r, "feature")] = rapid.SampledFrom([]float64{-1, 0, 1e-9, .7, 1}).Draw(r, "value")
							turn.Features = append(turn.Features, x)
						}
					}
					if x, ok := l.(bandit.Renewer); ok {
						x.Renew(b)
					}
					choice := l.Choose(b, turn)
					if choice.Arm < 0 || choice.Arm >= arms || slices.Contains(turn.Excluded, choice.Arm) || !(choice.Propensity >= 0 && choice.Propensity <= 1) {
						r.Fatalf("choice %+v without %v", choice, turn.Excluded)
					}
					if s, ok := l.(bandit.Sampler); ok {
						q, sum := make([]float64, arms), 0.
						s.Chances(q, b, turn, choice.Arm, 0, rand.New(rand.NewPCG(3, 4)))
						for _, p := range q {
							sum += p
						}
						if !(q[choice.Arm] > 0 && math.Abs(sum-1) < 1e-9 && slices.Min(q) >= 0) || choice.Propensity > 0 && math.Abs(q[choice.Arm]-choice.Propensity) > 1e-9 {
							r.Fatalf("propensities %v of choice %+v", q, choice)
						}
					}
					finite := func(what string, all ...float64) {
						for _, x := range all {
							if math.IsNaN(x) || math.IsInf(x, 0) {
								r.Fatalf("%s: %v", what, all)
							}
						}
					}
					known := l.Summarize(b)
					finite("estimates", known.Estimates...)
					finite("samples", known.Samples...)
					finite("deviations", known.NoiseDevs...)
					finite("error", known.Parameter.Error)
					support := bandit.SupportOf(l, b, 0)
					finite("own", support.Own...)
					finite("borrowed", support.Borrowed...)
					for _, o := range support.Alike {
						finite("distance", o.Mean)
					}
					require.NoError(r, l.Load(l.Save()))
				}
			})
		})
	}
}
