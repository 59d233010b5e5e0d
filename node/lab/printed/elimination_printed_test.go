package printed

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

func elimination(t *testing.T, c bandit.Config) *Elimination {
	t.Helper()
	l, err := bandit.New(EliminationParams{Length: 1}, c)
	if err != nil {
		t.Fatal(err)
	}
	return l.(*Elimination)
}

// after returns the belief after epochs, in which arms of equal means rest on n rewards and noise
// of m sites with budget eps, s rewards each.
func after(arms, epochs int, m, s, eps float64) *bandit.Belief {
	b := belief.New(arms, 1)
	b.Epoch, b.Revision, b.Own = uint64(epochs), 1, make([]float64, arms)
	for r := range epochs {
		one := belief.NewMeans(arms, 1)
		for k := range arms {
			one.SampleVar[k] = 1 / (m * s)
			one.LaplaceSumSq[k], one.LaplaceMax[k] = float64(r+1)/math.Pow(math.Sqrt(m)*s*eps, 2), 1/(m*s*eps)
		}
		b.Epochs = append(b.Epochs, one)
	}
	b.Means = b.Epochs[epochs-1]
	return &b
}

// TestEliminationRadiusIsThePapers: C(r) with node budgets for M sites of r epochs, by hand.
func TestEliminationRadiusIsThePapers(t *testing.T) {
	const k, m, eps, r, s, horizon = 4, 9.0, .5, 3.0, 700.0, 1000.0
	e := elimination(t, bandit.Config{Arms: k, Peers: m, Horizon: horizon, Epsilon: eps})
	l := math.Log(8 * k * r * r * horizon)
	want := math.Sqrt(l/(2*m*s)) + r*math.Sqrt(8*l)/(math.Sqrt(m)*eps*s)
	got := e.Radii(nil, after(k, r, m, s, eps), 0)[1]
	if math.Abs(got.Size-want) > 1e-12 || math.Abs(got.Miss-1/(2*k*r*r*horizon)) > 1e-12 {
		t.Errorf("radius %+v, want %v missed with %v", got, want, 1/(2*k*r*r*horizon))
	}
}

// TestEliminationRadiusFailsForAFewSites, for which its Fact 2 requires ln(8Kr²T) < M: with one draw
// of noise of scale 1 each, one or two sites are outside of the bound with a probability greater
// than e^-l, and the learner says that it promises nothing.
func TestEliminationRadiusFailsForAFewSites(t *testing.T) {
	const k, horizon = 5, 1e5
	e := elimination(t, bandit.Config{Arms: k, Peers: 2, Horizon: horizon, Epsilon: 1})
	l := math.Log(8 * k * horizon)
	for sites, tail := range map[float64]func(x float64) float64{
		1: func(x float64) float64 { return math.Exp(-x) / 2 },
		2: func(x float64) float64 { return (2 + x) * math.Exp(-x) / 4 },
	} {
		b := after(k, 1, 1, 1, 1)
		b.SampleVar[0], b.LaplaceSumSq[0], b.Revision = 0, sites, uint64(sites) // noise alone
		got := e.Radii(nil, b, 0)[0]
		if p := tail(got.Size); p < math.Exp(-l) || got.Miss != 1 {
			t.Errorf("%v sites: the paper's bound fails with %.3g of %.3g and promises to with %v", sites, p, math.Exp(-l), got.Miss)
		}
	}
}
