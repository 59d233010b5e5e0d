package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/gram"
	"peerd.dev/bandit/score"
)

func linUCB(t testing.TB, arms int, p LinUCBParams) *LinUCB {
	t.Helper()
	l, err := p.New(bandit.Config{Arms: arms, Peers: 1, Rand: rand.New(rand.NewPCG(3, 4))})
	if err != nil {
		t.Fatal(err)
	}
	return l.(*LinUCB)
}

// indices are all indices of a learner by features.
var indices = []Index{SampledIndex, BoundIndex, CalibratedIndex}

// problem is one with a θ of norm 1 and sums that are released with noise.
type problem struct {
	d     int
	theta []float64
	rng   *rand.Rand
	b     belief.Belief
	exact []float64
	n     float64
}

func newProblem(d int, seed uint64) *problem {
	x := &problem{d: d, rng: rand.New(rand.NewPCG(seed, 9)), b: belief.New(1, d*(d+1)/2+d), exact: make([]float64, d*(d+1)/2+d)}
	x.theta = x.unit()
	x.theta[0] = math.Abs(x.theta[0])
	return x
}

func (x *problem) unit() []float64 {
	v, sum := make([]float64, x.d), 0.
	for i := range v {
		v[i] = x.rng.NormFloat64()
		sum += v[i] * v[i]
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
	return v
}

// turn offers arms of which all means are in [0, 1].
func (x *problem) turn(arms int) bandit.Turn {
	var t bandit.Turn
	for len(t.Features) < arms {
		if f := x.unit(); product(f, x.theta) >= 0 {
			t.Features = append(t.Features, f)
		}
	}
	return t
}

func product(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// pay adds a record of features f.
func (x *problem) pay(f []float64) {
	y := 0.
	if x.rng.Float64() < product(f, x.theta) {
		y = 1
	}
	at := 0
	for i := range f {
		x.exact[at] += f[i] * f[i]
		at++
		for j := i + 1; j < len(f); j++ {
			x.exact[at] += math.Sqrt2 * f[i] * f[j]
			at++
		}
	}
	for i := range f {
		x.exact[at+i] += f[i] * y
	}
	x.n++
}

// release sets the belief to the sums with noise of a deviation.
func (x *problem) release(sigma float64) {
	for i, v := range x.exact {
		x.b.X[i] = v + sigma*x.rng.NormFloat64()
	}
	x.b.SampleVar[0], x.b.GaussVar[0] = 1/x.n, sigma*sigma
}

// TestFeaturesAreLearned by every index: with many records the chosen arm is nearly the best.
func TestFeaturesAreLearned(t *testing.T) {
	for _, index := range indices {
		for _, sigma := range []float64{0, 20} {
			x := newProblem(4, 1)
			l := linUCB(t, 8, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
			for range 200_000 {
				x.pay(x.turn(1).Features[0])
			}
			x.release(sigma)
			lost, random := 0., 0.
			for range 300 {
				turn := x.turn(8)
				means := make([]float64, 8)
				for k, f := range turn.Features {
					means[k] = product(f, x.theta)
				}
				c := l.Choose(&x.b, turn)
				lost += slices.Max(means) - means[c.Arm]
				random += slices.Max(means) - means[0]
				if want := map[bool]float64{true: 0, false: 1}[index == SampledIndex]; c.Propensity != want {
					t.Fatalf("%s: propensity %v", index, c.Propensity)
				}
			}
			if lost > random/20 {
				t.Errorf("%s, noise of %v: %.2f lost, at random %.2f", index, sigma, lost, random)
			}
		}
	}
}

// TestNothingKnownIsAnyArm, each equally likely, and excluded arms are never chosen, also when
// something is known.
func TestNothingKnownIsAnyArm(t *testing.T) {
	x := newProblem(3, 2)
	for _, index := range indices {
		l := linUCB(t, 4, LinUCBParams{Features: 3, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
		turn := x.turn(4)
		turn.Excluded = []bandit.Arm{2}
		b := belief.New(1, 9)
		counts := make([]int, 4)
		for range 30_000 {
			c := l.Choose(&b, turn)
			counts[c.Arm]++
			if c.Propensity != 1./3 {
				t.Fatal(c.Propensity)
			}
		}
		for k, n := range counts {
			if want := 10_000; (k == 2) != (n == 0) || k != 2 && math.Abs(float64(n-want)) > 500 { // 6.1 deviations
				t.Errorf("%s: counts %v", index, counts)
			}
		}
		x.pay(turn.Features[2])
		x.release(1)
		for range 200 {
			if c := l.Choose(&x.b, turn); c.Arm == 2 {
				t.Fatalf("%s: an excluded arm is chosen", index)
			}
		}
	}
}

// TestCalibratedSetHolds at every release of 200 runs, of which at most 1 % may fail; none does.
func TestCalibratedSetHolds(t *testing.T) {
	for _, sigma := range []float64{0, 3, 30} {
		for run := range uint64(200) {
			x := newProblem(3, 100+run)
			l := linUCB(t, 1, LinUCBParams{Features: 3, Index: CalibratedIndex, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
			for range 12 {
				for range 1 + int(x.n/2) {
					x.pay(x.turn(1).Features[0])
				}
				x.release(sigma)
				l.learn(&x.b)
				if !l.known {
					t.Fatal("nothing is known")
				}
				if off := x.off(l.estimate); off > l.beta {
					t.Errorf("noise of %v, run %d: θ is %.3g off, the radius is %.3g", sigma, run, off, l.beta)
				}
			}
		}
	}
}

// off returns how far θ is from an estimate: the greatest |⟨x, θ̂-θ⟩|/|Wx|.
func (x *problem) off(e gram.Estimate) float64 {
	// The greatest is at x = P(θ̂-θ), where it is the norm of θ̂-θ by P, with P⁻¹ = WᵀW: the norm
	// of the y with Wᵀy = θ̂-θ.
	y := make([]float64, x.d)
	for i := x.d - 1; i >= 0; i-- {
		y[i] = e.Theta[i] - x.theta[i]
		for k := i + 1; k < x.d; k++ {
			y[i] -= e.Half.Row(k)[i] * y[k]
		}
		y[i] /= e.Half.Row(i)[i]
	}
	return math.Sqrt(product(y, y))
}

// square returns |Wx|².
func square(e gram.Estimate, x []float64) float64 {
	f := []float64{0}
	score.Squares(f, e.Half, len(e.Theta), []bandit.Features{x})
	return f[0]
}

// TestAwareErrorIsWhatItSays: over many runs the squared error of the estimate, in its own norm,
// is on average the one of a vector of d entries of variance 1, within a fifth, if noise is most
// of it.
func TestAwareErrorIsWhatItSays(t *testing.T) {
	const d, runs = 4, 400
	for _, sigma := range []float64{5, 30} {
		sum := 0.
		for run := range uint64(runs) {
			x := newProblem(d, 1000+run)
			l := linUCB(t, 1, LinUCBParams{Features: d, Index: BoundIndex, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
			for range 4000 {
				x.pay(x.turn(1).Features[0])
			}
			x.release(sigma)
			f := x.unit()
			l.learn(&x.b)
			e := product(f, l.estimate.Theta) - product(f, x.theta)
			sum += e * e / square(l.estimate, f)
		}
		if mean := sum / runs; mean > 1.4 || mean < .4 { // of a χ² of 1; its mean over 400 has a deviation of .07
			t.Errorf("noise of %v: squared errors are %.2f of what is said", sigma, mean)
		}
	}
}

// TestIndefiniteSumsAreUsed: if noise makes the matrix indefinite there is still an estimate, and
// it states how many eigenvalues were raised.
func TestIndefiniteSumsAreUsed(t *testing.T) {
	for _, index := range indices {
		raised := 0
		for seed := range uint64(50) {
			x := newProblem(4, seed)
			l := linUCB(t, 5, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
			for range 10 {
				x.pay(x.turn(1).Features[0])
			}
			x.release(50)
			if c := l.Choose(&x.b, x.turn(5)); !l.known || c.Arm < 0 {
				t.Fatalf("%s: nothing is known", index)
			}
			raised += l.estimate.Raised
			for _, v := range append(slices.Clone(l.estimate.Theta), l.estimate.Half...) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: %v", index, l.estimate)
				}
			}
		}
		if raised < 50 {
			t.Errorf("%s: %d eigenvalues are raised", index, raised)
		}
	}
}

// TestTheEstimateFollowsReleases: other sums give another estimate, with the same ones nothing is
// computed.
func TestTheEstimateFollowsReleases(t *testing.T) {
	x := newProblem(3, 5)
	l := linUCB(t, 2, LinUCBParams{Features: 3, Index: BoundIndex, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
	for range 50 {
		x.pay(x.turn(1).Features[0])
	}
	x.release(1)
	l.learn(&x.b)
	before := l.estimate
	if n := testing.AllocsPerRun(10, func() { l.learn(&x.b) }); n > 0 {
		t.Errorf("%v allocations for the same sums", n)
	}
	x.b.X[0]++
	l.learn(&x.b)
	if slices.Equal(before.Theta, l.estimate.Theta) {
		t.Error("other sums have the same estimate")
	}
	turn := x.turn(2)
	if n := testing.AllocsPerRun(100, func() { l.Choose(&x.b, turn) }); n > 0 {
		t.Errorf("a choice allocates %v times", n)
	}
}

// TestFeaturesTakeNoCoins: whatever features a choice has, and whatever is excluded, later
// choices have the same random numbers.
func TestFeaturesTakeNoCoins(t *testing.T) {
	for _, index := range indices {
		x := newProblem(3, 5)
		a, b := linUCB(t, 4, LinUCBParams{Features: 3, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat}), linUCB(t, 4, LinUCBParams{Features: 3, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
		nothing := belief.New(1, 9)
		for i := range 2000 {
			if i%20 == 0 {
				x.pay(x.turn(1).Features[0])
				x.release(3)
			}
			known := &x.b
			if i < 1000 {
				known = &nothing
			}
			turn := x.turn(4)
			turn.Excluded = []bandit.Arm{bandit.Arm(i % 4)}
			a.Choose(known, turn)
			b.Choose(known, bandit.Turn{Features: []bandit.Features{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}})
		}
		if a.rng.Uint64() != b.rng.Uint64() {
			t.Errorf("%s: other random numbers", index)
		}
	}
}

func TestBadParametersOfLinUCBAreRefused(t *testing.T) {
	for _, p := range []LinUCBParams{
		{0, 0, "", BoundIndex, 1, WithoutSquares},
		{121, 0, "", BoundIndex, 1, WithoutSquares},
		{3, 0, "", "other", 1, WithoutSquares},
		{3, 0, "", BoundIndex, 0, WithoutSquares},
		{3, 0, "", BoundIndex, 17, WithoutSquares},
		{3, 0, "", BoundIndex, math.NaN(), WithoutSquares},
		{3, 1, "", BoundIndex, 1, WithoutSquares},
		{3, 1, "other", BoundIndex, 1, WithoutSquares},
		{3, -1, bandit.Outer, BoundIndex, 1, WithoutSquares},
		{3, 118, bandit.Concat, BoundIndex, 1, WithoutSquares},
		{11, 11, bandit.Outer, BoundIndex, 1, WithoutSquares},
		{11, 10, bandit.Interactions, BoundIndex, 1, WithoutSquares},
		{3, 0, "", BoundIndex, 1, "other"},
	} {
		if _, err := bandit.New(p, bandit.Config{Arms: 2, Peers: 1}); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}
