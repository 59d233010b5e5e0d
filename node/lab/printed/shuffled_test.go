package printed

import (
	"math"
	"os"
	"strings"
	"testing"

	"peerd.dev/dp/account"
	"peerd.dev/dp/sample"
	"peerd.dev/internal/require"
)

// amplificationLimit returns the ε up to which Theorem 5.3 of Zhou and Chowdhury (2024) promises something for M silos that release n times
// in a life of T rounds: √κ/(C1·T·√M) with κ = 1 + log2 n, for a constant C1 of 1. The paper does not name the constant.
func amplificationLimit(n, rounds uint64, silos int) float64 {
	return math.Sqrt(1+math.Log2(float64(n))) / (float64(rounds) * math.Sqrt(float64(silos)))
}

// TestShuffledNoiseOfFigures: figures 2(a) and 2(b) of paper 002, 100 silos, 10,000 rounds in batches of 25.
func TestShuffledNoiseOfFigures(t *testing.T) {
	const silos, rounds, n = 100, 10_000, 400
	for _, epsilon := range []float64{1e-3, 1e-4} {
		if most := amplificationLimit(n, rounds, silos); most > 3.2e-5 || epsilon < 2*most {
			t.Errorf("Theorem 5.3 promises something up to epsilon %v, the figure has %v: want it outside", most, epsilon)
		}
		got, err := Amplified(epsilon, 1e-4, n, rounds, silos)
		kappa := 1 + math.Log2(n)
		want := math.Sqrt(2*kappa*math.Log(1e4)*math.Log(kappa)*math.Log(silos*kappa*1e4)/silos) / epsilon // δT is 1
		if err != nil || math.Abs(got/want-1) > 1e-12 {
			t.Errorf("amplified %v, want %v, %v", got, want, err)
		}
		if ratio := ZhouChowdhury(epsilon, 1e-4, n) / got; math.Abs(ratio-3.4) > .05 {
			t.Errorf("%v times less than the local noise, want 3.4", ratio)
		}
	}
	got, err := VectorSum(.2, .1, 10, silos)
	if want := math.Sqrt(.1*.1875) * math.Log(1000) / .2 / 10; err != nil || math.Abs(got-want) > 1e-12 || math.Abs(got-.473) > .001 {
		t.Errorf("the vector sum as in the programs has deviation %v, want %v, %v", got, want, err)
	}
	one := require.Value(VectorSumProven(.2, .1, 65, n, 1))(t)
	all, err := VectorSumProven(.2, .1, 65, n, silos)
	if err != nil || math.Abs(one/all-10) > 1e-9 || math.Abs(one/3.28e5-1) > .005 {
		t.Errorf("proven %v, a silo of a hundred %v, %v; want 3.28e5 and a tenth", one, all, err)
	}
	if got, err := VectorSumProven(300, 1e-5, 65, n, 1); err != nil { // ε0 = 10.1; κ = 9 is below 2 ln(2/δ) = 24
		t.Errorf("%v, %v", got, err)
	}
	// A vector of 10 numbers of norm 1 and a matrix of 100, of the design's table.
	for d, want := range map[int]float64{10: 1.74e5, 100: 2.46e5} {
		if got, err := VectorSumProven(.2, .1, d, n, 1); err != nil || math.Abs(got/math.Sqrt2/want-1) > .005 {
			t.Errorf("%d numbers: %v, want √2 times %v, %v", d, got, want, err)
		}
	}
}

// TestWhatPrintedNoisePromises recomputes the table of deviations of docs/lab/shuffle.md, and what the noise promises by the exact curve:
// records of norm √4.5 in 9 nodes, 100 silos with 10 features.
func TestWhatPrintedNoisePromises(t *testing.T) {
	length := math.Sqrt(4.5 * 9)
	for _, c := range []struct {
		epsilon, delta                          float64
		local, least, amplified, vector, proven float64 // deviations; 0 is refused
		alone, silo, sum                        float64 // ε of a silo's amplified noise, of its vector noise, and of a hundred silos' vector noise
	}{
		{1e-3, 1e-4, 27_640, 5_966, 8_046, 189, 0, 6.1e-4, .0802, .00503},
		{1e-4, 1e-4, 276_400, 17_567, 80_460, 1_892, 0, 0, .00503, 7.51e-5},
		{.2, .1, 78.5, 14.63, 0, .473, 32_890, 0, 107, 1.95},
		{1, .1, 17.56, 6.91, 0, .0946, 6_577, 0, 2_350, 30.3},
		{.2, 1e-5, 154.7, 103.8, 68.3, 1.104, 107_300, .315, 40.5, 2.34},
		{1, 1e-5, 31.92, 23.74, 13.66, .2207, 21_470, 1.84, 538, 15.8},
	} {
		least, err := account.Sigma(c.epsilon, c.delta, length)
		if err != nil {
			t.Fatal(err)
		}
		amplified, _ := Amplified(c.epsilon, c.delta, 400, 10_000, 100)
		vector, _ := VectorSum(c.epsilon, c.delta, 10, 100)
		proven, _ := VectorSumProven(c.epsilon, c.delta, 65, 400, 100)
		promise := func(sigma float64) (epsilon float64) {
			if sigma > 0 {
				epsilon = require.Value(account.Mu(length / sigma).Epsilon(c.delta))(t)
			}
			return epsilon
		}
		got := []float64{ZhouChowdhury(c.epsilon, c.delta, 400), least, amplified, vector, proven, promise(amplified), promise(vector), promise(10 * vector)}
		for i, want := range []float64{c.local, c.least, c.amplified, c.vector, c.proven, c.alone, c.silo, c.sum} {
			if math.Abs(got[i]-want) > .003*want {
				t.Errorf("(%v, %v), column %d: %v, want %v", c.epsilon, c.delta, i, got[i], want)
			}
		}
	}
}

func TestShuffledNoiseIsRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func() (float64, error)
		want string
	}{
		{"a delta above κ/T", func() (float64, error) { return Amplified(1, .1, 400, 10_000, 100) }, "not above 0 at delta 0.1"},
		{"no silo", func() (float64, error) { return Amplified(1, 1e-5, 400, 10_000, 0) }, "0 silos"},
		{"no release", func() (float64, error) { return Amplified(1, 1e-5, 0, 10_000, 5) }, "0 releases"},
		{"NaN", func() (float64, error) { return VectorSum(math.NaN(), 1e-5, 10, 5) }, "epsilon NaN"},
		{"a delta of 1", func() (float64, error) { return VectorSum(1, 1, 10, 5) }, "delta 1,"},
		{"wide noise", func() (float64, error) { return Amplified(1e-6, 1e-4, 400, 10_000, 100) }, "at most 2^20"},
		{"wide proven noise", func() (float64, error) { return VectorSumProven(.02, 1e-5, 65, 400, 1) }, "2^40 units of 2^-20"},
		{"a composition that does not hold", func() (float64, error) { return VectorSumProven(60, .1, 65, 400, 100) }, "not proved"},
		{"epsilon0 above 15", func() (float64, error) { return VectorSumProven(500, .1, 65, 400, 100) }, "not proved"},
	} {
		if got, err := c.of(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// binomial returns the probability of mean + x ones among n bits that are 1 with probability p, with a whole mean.
func binomial(n, p float64) func(x float64) float64 {
	log := func(k float64) float64 { l, _ := math.Lgamma(k + 1); return l }
	all, one, zero := log(n), math.Log(p), math.Log1p(-p)
	return func(x float64) float64 {
		k := math.Round(n*p) + x
		if k < 0 || k > n {
			return 0
		}
		return math.Exp(all - log(k) - log(n-k) + k*one + (n-k)*zero)
	}
}

// normal returns the probability of x of a discrete Gaussian number.
func normal(variance float64) func(x float64) float64 {
	whole := math.Sqrt(2 * math.Pi * variance) // within a factor 1 ± 10^-70 from variance 9 on
	return func(x float64) float64 { return math.Exp(-x*x/(2*variance)) / whole }
}

// TestTheSumOfSilosIsABagOfBits draws 10^6 sums of two silos' discrete Gaussian noise and compares them with a bag of 11 million bits, exactly the
// law that Algorithm 7 decodes; a variance 2 % off is found. PEERD_LONG has 12 and 60 silos, too. Each rejects a correct
// sampler once in 10^5 seeds.
func TestTheSumOfSilosIsABagOfBits(t *testing.T) {
	const draws, sigma, cells = 1_000_000, 1026, 30
	silos := []int{2}
	if os.Getenv("PEERD_LONG") != "" {
		silos = append(silos, 12, 60)
	}
	s := sample.NewSeededSource([32]byte{41})
	for _, honest := range silos {
		bits, deviation := float64(honest)*sigma*sigma*16/3, sigma*math.Sqrt(float64(honest)) // p(1-p) = 3/16
		cell := func(x float64) int {                                                         // a fifth of a deviation wide; the outer two have the tails
			return min(cells-1, max(0, int(math.Floor(x/(.2*deviation)))+cells/2))
		}
		got := make([]float64, cells)
		for range draws {
			sum := int64(0)
			for range honest {
				sum += s.Gaussian(sigma)
			}
			got[cell(float64(sum))]++
		}
		for _, factor := range []float64{1, 1.02, 1 / 1.02} {
			n := math.Round(bits*factor/4) * 4
			law, want := binomial(n, .25), make([]float64, cells)
			for x := -math.Ceil(9 * deviation); x <= 9*deviation; x++ {
				want[cell(x)] += law(x)
			}
			chi2, whole := 0., 0.
			for i, p := range want {
				chi2 += (got[i] - p*draws) * (got[i] - p*draws) / (p * draws)
				whole += p
			}
			if math.Abs(whole-1) > 1e-6 {
				t.Errorf("probabilities of %v bits add up to %v", n, whole)
			}
			const freedom = cells - 1.
			z := (math.Cbrt(chi2/freedom) - 1 + 2/(9*freedom)) / math.Sqrt(2/(9*freedom)) // Wilson and Hilferty
			t.Logf("%d silos, %.4g times the variance: χ² of %v degrees of freedom has z = %.2f", honest, factor, freedom, z)
			if fits := z < 4.3; fits != (factor == 1) {
				t.Errorf("%d silos, %.4g times the variance: z = %.2f, fits %v", honest, factor, z, fits)
			}
		}
	}
}

// TestABagOfBitsIsNearlyNormal: the total variation distance between the centred binomial law of n bits and the discrete Gaussian one of its
// variance σ² is at most .064/σ for p = 1/4, and .0293/σ² for p = 1/2, that is, .117/n. These are sums over all numbers, exact
// up to rounding, and the products with σ and σ² hardly change.
func TestABagOfBitsIsNearlyNormal(t *testing.T) {
	for _, c := range []struct{ p, power, most float64 }{{.25, 1, .064}, {.5, 2, .0293}} {
		for _, n := range []float64{64, 256, 1_024, 16_384, 1 << 20} {
			variance := n * c.p * (1 - c.p)
			law, bell, sum := binomial(n, c.p), normal(variance), 0.
			for x := -math.Round(n * c.p); x <= n*(1-c.p); x++ {
				if math.Abs(x) < 40*math.Sqrt(variance) {
					sum += math.Abs(law(x)-bell(x)) / 2
				}
			}
			scaled := sum * math.Pow(variance, c.power/2)
			t.Logf("p = %v, %v bits, deviation %.1f: %.3g, which is %.4f/σ^%v", c.p, n, math.Sqrt(variance), sum, scaled, c.power)
			if scaled > c.most || scaled < .98*c.most {
				t.Errorf("p = %v, %v bits: distance %v, which is %v/σ^%v, want %v at most, and nearly", c.p, n, sum, scaled, c.power, c.most)
			}
		}
	}
}
