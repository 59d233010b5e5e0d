package experiment

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"peerd.dev/bandit"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
)

// A library is a learner as SMPyBandits has it: UCB with a factor α of ln t / 2n in its radius, or Thompson sampling from
// Beta posteriors if the factor is 0.
type library struct {
	bandit.Arms
	bandit.Stateless
	alpha float64
	rng   *rand.Rand
}

// Words implements [bandit.Params].
func (library) Words() bandit.Words { return bandit.Words{Name: "library", Summary: "of SMPyBandits"} }

// New implements [bandit.Params].
func (l library) New(c bandit.Config) (bandit.Learner, error) {
	l.Arms, l.rng = bandit.Arms{N: c.Arms}, c.Rand
	return &l, nil
}

// Choose pulls the arm with the greatest index. SampleVar is 1/n after n pulls.
func (l *library) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	best, arm := math.Inf(-1), 0
	for k, v := range b.SampleVar {
		x, n := math.Inf(1), 0.
		if b.Known(k) {
			n = math.Round(1 / v)
			x = l.index(b.X[k], v, float64(t.Round))
		}
		if l.alpha == 0 {
			ones := math.Round(b.X[k] * n)
			x = l.gamma(1 + ones)
			x /= x + l.gamma(1+n-ones)
		}
		if x += 1e-12 * l.rng.Float64(); x > best { // ties are broken at random
			best, arm = x, k
		}
	}
	return bandit.Choice{Arm: bandit.Arm(arm), Propensity: 1}
}

// index returns the upper confidence bound of a mean of 1/v rewards after a number of pulls.
func (l *library) index(mean, v, pulls float64) float64 {
	return mean + math.Sqrt(l.alpha*math.Log(pulls)*v/2)
}

// gamma samples a gamma variable of a shape of 1 or more.
func (l *library) gamma(shape float64) float64 {
	d := shape - 1./3 // Marsaglia and Tsang 2000
	for {
		x := l.rng.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v = v * v * v; v > 0 && math.Log(1-l.rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// A printed number is a mean over runs that a file of SMPyBandits (commit 012fc13a) prints: A is
// notebooks/Example_of_a_small_Single-Player_Simulation.ipynb, B notebooks/Do_we_even_need_UCB.ipynb, and C, D and E are
// main_py3_kernprof_log.txt, main_py3_profile_log.txt and main_py3_memory_profiler_log.txt in logs.
type printed struct {
	instance, learner string
	rounds, runs      uint64
	regret            float64
}

// printedNumbers returns the numbers that are compared. The notebooks print the regret 50 rounds before the end.
func printedNumbers() []printed {
	return []printed{
		{"steps", "UCB α = 1", 10000, 10, 98.04},      // A:1283
		{"steps", "UCB α = 0.5", 10000, 10, 49.52},    // A:1280
		{"steps", "Thompson", 10000, 10, 33.2},        // A:1279
		{"steps", "KL-UCB", 10000, 10, 51.36},         // A:1281
		{"groups", "UCB α = 1", 10000, 10, 96.174},    // A:1394
		{"groups", "UCB α = 0.5", 10000, 10, 65.017},  // A:1390
		{"groups", "Thompson", 10000, 10, 83.188},     // A:1392
		{"groups", "KL-UCB", 10000, 10, 84.505},       // A:1393
		{"rare", "UCB α = 1", 10000, 10, 282.57},      // A:1505
		{"rare", "UCB α = 0.5", 10000, 10, 162.35},    // A:1504
		{"rare", "Thompson", 10000, 10, 69.227},       // A:1501
		{"rare", "KL-UCB", 10000, 10, 94.7},           // A:1503
		{"steps", "UCB α = 0.5", 10000, 100, 51.636},  // B:1067
		{"steps", "UCB α = 4", 10000, 100, 330.67},    // B:1068
		{"groups", "UCB α = 0.5", 10000, 100, 72.965}, // B:1132
		{"groups", "UCB α = 4", 10000, 100, 236.885},  // B:1134
		{"rare", "UCB α = 0.5", 10000, 100, 162.84},   // B:1235
		{"rare", "UCB α = 4", 10000, 100, 484.38},     // B:1237
		{"steps", "UCB α = 1", 1000, 16, 57.1},        // C:230
		{"steps", "UCB α = 1", 1000, 16, 53.3},        // D:230
		{"steps", "UCB α = 1", 1000, 16, 56.9},        // E:230
		{"steps", "Thompson", 1000, 16, 26.9},         // C:270
		{"steps", "Thompson", 1000, 16, 29.1},         // D:270
		{"steps", "Thompson", 1000, 16, 30.6},         // E:270
		{"steps", "KL-UCB", 1000, 16, 34.4},           // C:278
		{"steps", "KL-UCB", 1000, 16, 35.2},           // D:278
		{"steps", "KL-UCB", 1000, 16, 37.4},           // E:278
	}
}

// TestPrintedNumbersOfAnotherLibrary: what SMPyBandits prints is what its learners do in this simulator, over many more
// runs, up to the error of a mean of as few runs as it took. Without PEERD_LONG, only the numbers of 1,000 rounds.
func TestPrintedNumbersOfAnotherLibrary(t *testing.T) {
	learners := map[string]bandit.Params{
		"UCB α = 0.5": library{alpha: .5}, "UCB α = 1": library{alpha: 1}, "UCB α = 4": library{alpha: 4}, "Thompson": library{},
		"KL-UCB": learner.KLUCBParams{Level: learner.Log},
	}
	long := os.Getenv("PEERD_LONG") != ""
	c := require.Value(plan.Schema().Load("../../../configs/figures/others.yaml", nil))(t)
	cells := require.Value(prepare(c, "", ""))(t)
	played := make(map[string][]stats.Run)
	seeds := Seeds(1, 100)
	if long {
		seeds = Seeds(1, 200)
	}
	outside, compared := 0, 0
	t.Logf("%-6s  %-11s  %6s  %5s  %8s  %s", "", "", "rounds", "runs", "printed", "here")
	for _, p := range printedNumbers() {
		if !long && p.rounds > 1000 {
			continue
		}
		cell := &cells[0]
		for i := range cells {
			if strings.HasPrefix(cells[i].Name, p.instance) {
				cell = &cells[i]
				break
			}
		}
		key := p.instance + p.learner
		if played[key] == nil {
			results := require.Value(stats.Runs(context.Background(), seeds, func(seed uint64) (sim.Config, error) {
				s, err := SimulateAlone(&cell.Settings, cell.world, seed)
				s.Spec.Learner = learners[p.learner]
				if !long {
					s.Rounds = 1000
				}
				return s, err
			}, nil))(t)
			for i := range results {
				played[key] = append(played[key], stats.NewRun(seeds[i], &results[i]))
			}
		}
		var regrets []float64
		for _, r := range played[key] {
			for k, round := range r.Points {
				if round == p.rounds {
					regrets = append(regrets, r.Regret[k])
				}
			}
		}
		here := stats.MeanOf(regrets)
		sd := stat.StdDev(regrets, nil)
		z := (p.regret - here.Mean) / sd / math.Sqrt(1/float64(p.runs)+1/float64(len(regrets)))
		t.Logf("%-6s  %-11s  %6d  %5d  %8.2f  %.1f (%.1f to %.1f), sd %.1f, z %.2f", p.instance, p.learner, p.rounds, p.runs, p.regret, here.Mean, here.Low, here.High, sd, z)
		if compared++; math.Abs(z) > 1.96 {
			outside++
		}
		if math.Abs(z) > 3.3 { // one in a thousand
			t.Errorf("%s on %s: %.2f is printed, and here it is %.1f (%.1f to %.1f)", p.learner, p.instance, p.regret, here.Mean, here.Low, here.High)
		}
	}
	t.Logf("%d of %d printed numbers are outside of 95 %% intervals", outside, compared)
}

// TestPrintedIndicesOfMABWiser: the index of UCB that is compared above is the one whose values tests/test_ucb.py of MABWiser
// has. Its alpha multiplies the radius √(2 ln t/n), so it is SMPyBandits' 4 alpha².
func TestPrintedIndicesOfMABWiser(t *testing.T) {
	for _, c := range []struct{ alpha, mean, n, pulls, index float64 }{
		{1, 1. / 3, 3, 10, 1.5723073962832794}, // line 63
		{1, 0, 2, 10, 1.5174271293851465},
		{1, 3. / 5, 5, 10, 1.5597051824376162},
		{1, 0, 1, 3, 1.4823038073675112}, // line 295
		{1, 1, 1, 3, 2.4823038073675114},
		{1, 1. / 4, 4, 13, 1.3824639856219572}, // line 338
		{1, 1, 1, 13, 3.2649279712439143},
		{1, 0, 2, 13, 1.6015459273656616},
		{1, 20, 150, 500, 20.287856633260894}, // line 368
		{.25, 20, 150, 500, 20.07196415831522},
		{3.33, 20, 150, 500, 20.95856258875877},
	} {
		l := library{alpha: 4 * c.alpha * c.alpha}
		if got := l.index(c.mean, 1/c.n, c.pulls); math.Abs(got-c.index) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// examples/context_free_mab.py, lines 166 and 172: arm 2 has the greatest index with alpha = 1.25.
	l := library{alpha: 4 * 1.25 * 1.25}
	layouts, revenues := []int{1, 1, 1, 2, 1, 2, 2, 1, 2, 1, 2, 2, 1, 2, 1}, []float64{10, 17, 22, 9, 4, 0, 7, 8, 20, 9, 50, 5, 7, 12, 10}
	var sum, n [3]float64
	for i, arm := range layouts {
		sum[arm] += revenues[i]
		n[arm]++
	}
	if one, two := l.index(sum[1]/n[1], 1/n[1], 15), l.index(sum[2]/n[2], 1/n[2], 15); one >= two {
		t.Errorf("arm 1 has %v, arm 2 %v", one, two)
	}
}
