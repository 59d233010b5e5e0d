package sample

import (
	"math"
	"os"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/google/differential-privacy/go/v3/noise"
)

// Google's library is an independent implementation of the distributions: it samples Laplace by a
// binary search for a geometric number of steps of about 2^-40 of the scale, and Gauss by a
// binomial of 2^112 coins or more, both rounded to whole numbers.
//
// It does not sample exactly (its probabilities are floats), and at small scales rounded
// distributions differ from discrete ones, so we compare only at 2^20 and above. It accepts no σ,
// but computes one from ε and δ at every draw, up to 1/1000 too large. It accepts no seed, but
// reads crypto/rand, which the tests replace. It has no running sums and no accountant, so these
// are not compared.

// googleDraws are as many as take a second or two.
const googleDraws = 300_000

// noiseOfGoogle is noise of a sensitivity of 2^20 in each of four sums.
type noiseOfGoogle struct {
	noise.Noise
	epsilon, delta float64
}

const googleSums, googleSensitivity = 4, 1 << 20

func (g noiseOfGoogle) draw() int64 {
	x, err := g.AddNoiseInt64(0, googleSums, googleSensitivity, g.epsilon, g.delta)
	if err != nil {
		panic(err)
	}
	return x
}

// beyond returns the x for which |noise| > x has a probability.
func (g noiseOfGoogle) beyond(t *testing.T, probability float64) float64 {
	interval, err := g.ComputeConfidenceIntervalFloat64(0, googleSums, googleSensitivity, g.epsilon, g.delta, probability)
	if err != nil {
		t.Fatal(err)
	}
	return interval.UpperBound
}

// A twin is a distribution that both libraries sample.
type twin struct {
	name   string
	google noiseOfGoogle
	scale  uint64
	ours   func(s *Source, scale uint64) int64
}

func twins() []twin {
	gauss := noiseOfGoogle{noise.Gaussian(), 1, 1e-5}
	sigma := noise.SigmaForGaussian(googleSums, googleSensitivity, gauss.epsilon, gauss.delta)
	return []twin{
		{"Laplace", noiseOfGoogle{noise.Laplace(), .5, 0}, googleSums * googleSensitivity / .5, (*Source).Laplace},
		{"Gaussian", gauss, uint64(math.Round(sigma)), (*Source).Gaussian},
	}
}

// TestGoogleDrawsTheSameLaws compares two samples, and then a sample of ours from a slightly
// wrong distribution. It rejects a correct sampler once in 10^4 seeds (eight times |z| > badFit).
func TestGoogleDrawsTheSameLaws(t *testing.T) {
	if os.Getenv("PEERD_LONG") == "" {
		t.Skip("scripts/show.sh samplers runs it")
	}
	cryptotest.SetGlobalRandom(t, 1)
	s := NewSecureSource()
	for _, w := range twins() {
		theirs := sample(googleDraws, w.google.draw)
		for _, c := range []struct {
			name  string
			right bool
			draw  func() int64
		}{
			{"ours", true, func() int64 { return w.ours(s, w.scale) }},
			{"2 % up", false, func() int64 { return w.ours(s, w.scale/50*51) }},
			{"2 % down", false, func() int64 { return w.ours(s, w.scale/50*49) }},
			{"one in fifty made positive", false, func() int64 { return s.biased(w.ours(s, w.scale)) }},
		} {
			cells, moments := apart(sample(draws, c.draw), theirs, float64(w.scale))
			most := 0.
			for _, z := range moments {
				most = max(most, math.Abs(z))
			}
			t.Logf("%s of scale %d, %s: χ² has z = %.2f, the moments %.2f", w.name, w.scale, c.name, cells, moments)
			if c.right && (math.Abs(cells) > badFit || most > badFit) {
				t.Errorf("%s: not the law of Google's", w.name)
			}
			if !c.right && (cells < badFit || most < badFit) {
				t.Errorf("%s, %s: passes for the law of Google's", w.name, c.name)
			}
		}
	}
}

func sample(n int, draw func() int64) []int64 {
	xs := make([]int64, n)
	for i := range xs {
		xs[i] = draw()
	}
	return xs
}

// apart compares two samples: by the χ² of their counts in cells of a quarter of the scale, as a
// standard normal z, and by the z of the first, second and fourth moments.
func apart(a, b []int64, scale float64) (cells float64, moments [3]float64) {
	const ends = 12 // cells on each side; the last ones are the tails
	var counts [2][2 * ends]float64
	var mean, variance [2][3]float64
	for side, xs := range [2][]int64{a, b} {
		var sum, squares [3]float64
		for _, x := range xs {
			y := float64(x) / scale
			counts[side][int(min(max(math.Floor(4*y), -ends), ends-1))+ends]++
			for i, p := range [3]float64{y, y * y, y * y * y * y} {
				sum[i] += p
				squares[i] += p * p
			}
		}
		n := float64(len(xs))
		for i := range sum {
			mean[side][i] = sum[i] / n
			variance[side][i] = (squares[i]/n - mean[side][i]*mean[side][i]) / n
		}
	}
	for i := range moments {
		moments[i] = (mean[0][i] - mean[1][i]) / math.Sqrt(variance[0][i]+variance[1][i])
	}
	chi2, na, nb := 0., float64(len(a)), float64(len(b))
	for i := range counts[0] {
		d := counts[0][i]*math.Sqrt(nb/na) - counts[1][i]*math.Sqrt(na/nb)
		chi2 += d * d / (counts[0][i] + counts[1][i])
	}
	return normal(chi2, 2*ends-1), moments
}

// TestDrawsLieInGooglesIntervals counts our draws outside of Google's confidence intervals. It
// rejects a correct sampler once in 10^4 seeds (ten times |z| > badFit).
func TestDrawsLieInGooglesIntervals(t *testing.T) {
	s := NewSeededSource([32]byte{7})
	for _, w := range twins() {
		right := sample(draws, func() int64 { return w.ours(s, w.scale) })
		wrong := sample(draws, func() int64 { return w.ours(s, w.scale/50*49) })
		for _, p := range []float64{.5, .1, .01, .001, 1e-4} {
			bound := w.google.beyond(t, p)
			z := func(xs []int64) float64 {
				n := 0.
				for _, x := range xs {
					if math.Abs(float64(x)) > bound {
						n++
					}
				}
				return (n - draws*p) / math.Sqrt(draws*p*(1-p))
			}
			if z := z(right); math.Abs(z) > badFit {
				t.Errorf("%s: z = %.2f beyond %v, of probability %v", w.name, z, bound, p)
			}
			if z := z(wrong); p >= .01 && z > -badFit {
				t.Errorf("%s, 2 %% down: z = %.2f beyond %v, of probability %v", w.name, z, bound, p)
			}
		}
	}
}

// BenchmarkBesideGoogle draws from both libraries alternately, each from crypto/rand, so that
// other load slows both. It reports Google's time for a Gaussian number with and without
// computing σ, which Google's library repeats at every draw.
func BenchmarkBesideGoogle(b *testing.B) {
	const n = 1000
	for _, w := range twins() {
		b.Run(w.name, func(b *testing.B) {
			s, sum := NewSecureSource(), int64(0)
			var ours, google, sigma time.Duration
			for b.Loop() {
				begin := time.Now()
				for range n {
					sum += w.ours(s, w.scale)
				}
				drawn := time.Now()
				for range n {
					sum += w.google.draw()
				}
				end := time.Now()
				ours, google = ours+drawn.Sub(begin), google+end.Sub(drawn)
				if w.google.delta > 0 {
					for range n {
						sum += int64(noise.SigmaForGaussian(googleSums, googleSensitivity, w.google.epsilon, w.google.delta))
					}
					sigma += time.Since(end)
				}
			}
			each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N*n) }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(each(ours), "ns/ours")
			b.ReportMetric(each(google), "ns/google")
			b.ReportMetric(float64(google)/float64(ours), "times")
			if sigma > 0 {
				b.ReportMetric(float64(google-sigma)/float64(ours), "times-without-sigma")
			}
			if sum == 1 {
				b.Log("one") // keeps the draws
			}
		})
	}
}
