package learner

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/score"
)

// vectorSites are sites with arms of their own whose rewards have one parameter.
type vectorSites struct {
	d, arms int
	theta   []float64
	x       [][]bandit.Features // by peer
	rng     *rand.Rand
	b       bandit.Belief
}

func newVectorSites(d, arms, peers int, seed uint64) *vectorSites {
	v := &vectorSites{d: d, arms: arms, rng: rand.New(rand.NewPCG(seed, 3)), b: belief.New(arms, 1)}
	unit := func() []float64 {
		x := make([]float64, d)
		for i := range x {
			x[i] = v.rng.NormFloat64()
		}
		norm := math.Sqrt(squareOf(x))
		for i := range x {
			x[i] /= norm
		}
		return x
	}
	v.theta = unit()
	for range peers {
		var own []bandit.Features
		for len(own) < arms {
			if x := unit(); product(x, v.theta) >= 0 {
				own = append(own, x)
			}
		}
		v.x = append(v.x, own)
	}
	return v
}

// learner returns the learner of a peer.
func (v *vectorSites) learner(t testing.TB, self int) *LinTS {
	t.Helper()
	l, err := bandit.New(LinTSParams{Radius: 1}, bandit.Config{Arms: v.arms, Peers: len(v.x), Rand: v.rng, Self: self, Vectors: v.x})
	if err != nil {
		t.Fatal(err)
	}
	return l.(*LinTS)
}

// release makes a peer release n rewards of an arm, with noise of a deviation in the sum.
func (v *vectorSites) release(peer, arm, n int, sigma float64) {
	sum := sigma * v.rng.NormFloat64()
	for range n {
		if v.rng.Float64() < product(v.x[peer][arm], v.theta) {
			sum++
		}
	}
	v.b.Sites[arm] = append(v.b.Sites[arm], belief.Site{Peer: peer, Mean: sum / float64(n), N: float64(n), GaussVar: sigma * sigma / float64(n*n)})
	v.b.X[arm], v.b.SampleVar[arm] = sum, 1/float64(n) // not used if arms differ
}

// TestLinTSErrorIsWhatItSays: over many runs the squared error of an estimated reward is on
// average at most the stated one, and at least a third of it, with noise and without. With
// another peer's vectors, or without the noise in its weights, it is many times as large.
func TestLinTSErrorIsWhatItSays(t *testing.T) {
	const d, runs = 4, 300
	for _, sigma := range []float64{0, 20} {
		sum := 0.
		for run := range uint64(runs) {
			v := newVectorSites(d, 5, 3, 100+run)
			l := v.learner(t, 1)
			for i := range 60 {
				v.release(i%3, i%5, 10+20*i, sigma)
			}
			l.learn(&v.b)
			x := v.x[1][0]
			e := product(x, l.theta) - product(x, v.theta)
			z := score.Apply(make([]float64, d), l.half, x)
			sum += e * e / squareOf(z)
		}
		if mean := sum / runs; mean > 1.3 || mean < 1./3 { // its deviation is .08 at 1
			t.Errorf("noise of %v: squared errors are %.2f of what is said", sigma, mean)
		}
	}
}

// TestLinTSLearnsFromAllSites: a peer that has released nothing plays its best arm, from what
// others have released about theirs.
func TestLinTSLearnsFromAllSites(t *testing.T) {
	v := newVectorSites(4, 20, 4, 7)
	l := v.learner(t, 0)
	lost, random := 0., 0.
	for i := range 60 {
		v.release(1+i%3, i%20, 5000, 10)
	}
	means := make([]float64, 20)
	for k, x := range v.x[0] {
		means[k] = product(x, v.theta)
	}
	for range 200 {
		c := l.Choose(&v.b, bandit.Turn{})
		lost += slices.Max(means) - means[c.Arm]
		random += slices.Max(means) - means[v.rng.IntN(20)]
		if c.Propensity != 0 {
			t.Fatal(c.Propensity)
		}
	}
	if lost > random/20 {
		t.Errorf("%.2f lost, at random %.2f", lost, random)
	}
	s := l.Summarize(&v.b)
	for k, m := range means {
		if math.Abs(s.Estimates[k]-m) > .1 || s.Samples[k] != 60*5000 || !(s.NoiseDevs[k] > 0 && s.NoiseDevs[k] < .1) {
			t.Errorf("arm %d pays %.3f: estimate %.3f of %v rewards, noise %v", k, m, s.Estimates[k], s.Samples[k], s.NoiseDevs[k])
		}
	}
}

// TestLinTSDrawsAnewForEachChoice: while nothing is known, all arms with vectors of one length
// are equally likely.
func TestLinTSDrawsAnewForEachChoice(t *testing.T) {
	l, err := LinTSParams{Radius: 1}.New(bandit.Config{Arms: 3, Peers: 3, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	b, counts := belief.New(3, 1), make([]int, 3)
	for range 30_000 {
		counts[l.Choose(&b, bandit.Turn{}).Arm]++
	}
	for _, n := range counts {
		if math.Abs(float64(n)-10_000) > 500 { // 6.1 deviations
			t.Errorf("%v", counts)
		}
	}
}

// TestARelayHasNoVectors: nor does a learner that is not asked.
func TestARelayHasNoVectors(t *testing.T) {
	v := newVectorSites(3, 4, 3, 5)
	v.x[0] = nil
	if l := v.learner(t, 0); l.Statistic() != (bandit.Statistic{Parts: 4, Dim: 1}) {
		t.Errorf("%+v", l.Statistic())
	}
}

func TestBadVectorsAreRefused(t *testing.T) {
	for want, p := range map[string]LinTSParams{
		"radius: want a number over 0":                {nil, 0},
		"radius: want":                                {nil, math.NaN()},
		"3 rows, one for each of arms, not 2":         {[][]float64{{1}, {0}}, 1},
		"rows of one length, at least 1; row 1 has 2": {[][]float64{{1}, {0, 1}, {1}}, 1},
		"row 0 has 0 numbers":                         {[][]float64{{}, {}, {}}, 1},
		"row 2 has 1.21":                              {[][]float64{{1}, {0}, {1.1}}, 1},
		"row 1 has NaN":                               {[][]float64{{1}, {math.NaN()}, {1}}, 1},
	} {
		if _, err := p.New(bandit.Config{Arms: 3, Peers: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
	if _, err := bandit.New(LinTSParams{Radius: 1}, bandit.Config{Arms: 3, Peers: 1, Vectors: [][]bandit.Features{{{1}}}}); err == nil {
		t.Error("one vector for 3 arms is taken")
	}
}

// TestLinTSSurvivesWhatLiarsClaim: rows of any number of rewards, alone and next to honest ones.
func TestLinTSSurvivesWhatLiarsClaim(t *testing.T) {
	for _, n := range []float64{1 << 30, 1 << 56, 1 << 63, math.MaxFloat64} {
		v := newVectorSites(4, 20, 4, 7)
		l := v.learner(t, 0)
		for i := range 30 {
			v.release(1+i%3, i%20, 500, 10)
		}
		for arm := range 20 {
			v.b.Sites[arm] = append(v.b.Sites[arm], belief.Site{Peer: 3, Mean: .5, N: n})
		}
		c := l.Choose(&v.b, bandit.Turn{})
		s := l.Summarize(&v.b)
		for k, x := range s.Estimates {
			if math.IsNaN(x) || math.IsInf(x, 0) || c.Arm < 0 {
				t.Fatalf("%g rewards: arm %d is estimated %v", n, k, x)
			}
		}
	}
}

func product(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
