package bandit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/internal/require"
)

func thompson(t *testing.T, arms int, inflation float64) *Thompson {
	t.Helper()
	l := require.Value(ThompsonParams{inflation}.New(Config{Arms: arms, Peers: 1, Rand: rand.New(rand.NewPCG(5, 6))}))(t)
	return l.(*Thompson)
}

// TestSampledNoiseHasTheLawOfTheNoise: sums of Laplace terms, drawn one by one and by gamma
// variables, have the same quantiles far out.
func TestSampledNoiseHasTheLawOfTheNoise(t *testing.T) {
	const draws = 200_000
	s := thompson(t, 1, 2)
	for _, n := range []int{1, 3, 12} {
		got, want := make([]float64, draws), make([]float64, draws)
		for i := range draws {
			got[i] = laplaces(float64(n), s.rng)
			for range n {
				want[i] += s.rng.ExpFloat64() * float64(2*s.rng.IntN(2)-1)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		for _, p := range []float64{.001, .01, .1, .5, .9, .99, .999} {
			i := int(p * draws)
			// The standard error of a quantile is √(p(1-p)/draws) over the density, which is at
			// least an exponential tail's.
			tail := min(p, 1-p)
			if dev := math.Abs(got[i] - want[i]); dev > 8*math.Sqrt(2*tail/draws)/tail*math.Sqrt(float64(n)) {
				t.Errorf("%d terms: the quantile at %v is %v, want %v", n, p, got[i], want[i])
			}
		}
	}
}

// TestABestArmIsNotLostToItsNoise: the noise in the best arm's mean is drawn from its own
// distribution, again and again, and the mean of the other arm is known. The number of samples
// until the best arm is chosen is small on average, as proved. With a normal error of the same
// variance it is not: the test would detect it.
func TestABestArmIsNotLostToItsNoise(t *testing.T) {
	const trials, most = 4000, 200_000
	const scale, gap = .2, .05
	s := thompson(t, 2, 2)
	wait := func(normal bool) (mean float64, lost int) {
		b := known(1e9, .5+gap, .5) // only the noise matters
		if b.LaplaceMax[0], b.LaplaceSumSq[0] = scale, scale*scale; normal {
			b.LaplaceMax[0], b.LaplaceSumSq[0], b.GaussVar[0] = 0, 0, 2*scale*scale
		}
		for range trials {
			b.X[0] = .5 + gap + scale*laplaces(1, s.rng)
			n := 1
			for ; n < most && s.Choose(b, Turn{}).Arm != 0; n++ {
			}
			if mean += float64(n) / trials; n == most {
				lost++
			}
		}
		return mean, lost
	}
	got, lost := wait(false)
	limit := s.inflation/(s.inflation-1) + 1
	t.Logf("%.2f samples on average, %d of %d arms lost; proven at most %.2f", got, lost, trials, limit)
	if got > limit || lost > 0 {
		t.Errorf("%v samples until the best arm is chosen, want at most %v; lost %d times", got, limit, lost)
	}
	s.inflation = 1
	if got, lost := wait(true); got < 3*limit {
		t.Errorf("with a normal error %v samples are enough, lost %d times: the comparison shows nothing", got, lost)
	} else {
		t.Logf("with a normal error of the same variance: %.0f samples on average, %d lost", got, lost)
	}
}

// TestThompsonSaysHowLikelyAChoiceWas: over many decisions, 1/propensity of an arm's choices adds
// up to their number, for every arm that is nearly always among 64 samples.
func TestThompsonSaysHowLikelyAChoiceWas(t *testing.T) {
	l := require.Value(ThompsonParams{math.Sqrt2}.New(Config{Arms: 4, Peers: 3, Rand: rand.New(rand.NewPCG(1, 2))}))(t)
	s := l.(Sampler)
	b := known(100, .5, .55, .45, .9)
	turn := Turn{Round: 1000, Excluded: []Arm{3}}
	const n = 4000
	var sum, square [4]float64
	all := make([]float64, 4)
	for i := range n {
		arm := l.Choose(b, turn).Arm
		s.Chances(all, b, turn, arm, 0, rand.New(rand.NewPCG(3, uint64(i))))
		p := all[arm]
		if p < 1./64 || p > 1 || math.Mod(p*64, 1) != 0 {
			t.Fatalf("propensity %v, want a number of 64ths", p)
		}
		sum[arm] += 1 / p
		square[arm] += 1 / (p * p)
	}
	for k := range 3 {
		mean := sum[k] / n
		dev := math.Sqrt((square[k]/n - mean*mean) / n)
		if math.Abs(mean-1) > 5*dev+.001 {
			t.Errorf("arm %d: inverse propensities have a mean of %v, want 1 within %v", k, mean, 5*dev)
		}
	}
	if sum[3] > 0 {
		t.Error("an excluded arm was chosen")
	}
}
