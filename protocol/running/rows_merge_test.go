package running

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// gullible believes every signature, as if liars had the keys.
type gullible struct{ protocoltest.Keys }

func (gullible) Sign([]byte) []byte                        { return make([]byte, 64) }
func (gullible) Verify(protocol.Peer, []byte, []byte) bool { return true }

// drawRows gives a peer rows of random origins: sums, counts and noise as honest
// sites have them, or anything at all from liars, who are the last of the origins.
// It returns the honest samples by arm, the peer's own first.
func drawRows(t *rapid.T, p *sums, liars int) (honest [][]belief.Site) {
	honest = make([][]belief.Site, p.C.Parts)
	var out protocol.Outbox
	for i := range p.C.Peers() {
		lies := i >= p.C.Peers()-liars
		f := dp.Fields{Exponent: dp.GridExponent, Span: dp.Span{To: 3}, Noise: dp.Noise{Scale: 5 << 20, VarianceUnits: 3 * dp.VarianceScale}}
		if lies {
			f.Exponent = rapid.OneOf(rapid.Just[int8](dp.GridExponent), rapid.Int8Range(-64, 64)).Draw(t, "exponent")
			f.Noise = dptest.AnyNoise(t)
		}
		for k := range p.C.Parts {
			n, v := rapid.Uint64Range(1, 50).Draw(t, "n"), rapid.Int64Range(-20<<20, 70<<20).Draw(t, "v")
			if lies && rapid.Bool().Draw(t, "lies about the numbers") {
				n, v = dptest.AnyUint().Draw(t, "claimed n"), rapid.Int64Range(-dp.MaxValue, dp.MaxValue).Draw(t, "claimed v")
			}
			if !lies {
				b, x := math.Ldexp(float64(f.Noise.Scale), int(f.Exponent)), float64(n)
				noise := dp.NoiseMoments{LaplaceSumSq: float64(f.Noise.VarianceUnits) / dp.VarianceScale * b * b, LaplaceMax: b}
				honest[k] = append(honest[k], rows.Site(protocol.Peer(i), math.Ldexp(float64(v), int(f.Exponent))/x, x, x, noise.Over(x)))
			}
			f.Count, f.Value = append(f.Count, n), append(f.Value, v)
		}
		if protocol.Peer(i) == p.C.Self {
			var own []protocol.Own
			for k := range f.Value {
				one := f
				one.Stream, one.Count, one.Value = dp.StreamID(k), f.Count[k:k+1], f.Value[k:k+1]
				own = append(own, protocol.Own{Stream: one.Stream, Number: 1, Leaf: &dp.Leaf{Sum: dptest.Received(t, one)}})
				for range f.Count[k] {
					p.Chosen(k)
				}
			}
			require.NoError(t, p.Released(own, &out))
			continue
		}
		m := protocoltest.Draft{Kind: rowsRow, Label: protocol.Label{Origin: protocol.Peer(i), Seq: 1}, Body: []dp.Release{dptest.Received(t, f)}}.Signed(gullible{})
		if err := p.Receive(1, m, &out); err != nil && !lies {
			t.Fatal(err)
		}
	}
	return honest
}

func newPeer(t rapid.TB, peers int, merge rows.Merge, f int) *sums {
	graph := make([][]protocol.Peer, peers)
	graph[0] = []protocol.Peer{1}
	for i := 1; i < peers; i++ {
		graph[i] = []protocol.Peer{protocol.Peer((i + 1) % peers)}
	}
	p := require.Value(protocol.New(
		Params{Every: 1, Pull: 1, Merge: merge, F: max(1, f)},
		protocol.Config{Graph: graph, Parts: 2, Width: 1, Charge: dp.Charge{Scale: 5 << 20, Hi: 1 << 20, Leaves: 3}, Keys: vouch.For[protocol.Keys](gullible{}), Rand: rand.New(rand.NewPCG(1, 1))},
	))(t)
	return p.(*sums)
}

// TestMergeIsWhatItSays compares with the obvious: of every number that the origins
// give, sort, drop, average.
func TestMergeIsWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.IntRange(0, 3).Draw(t, "f")
		merge := rows.MergeTrimmed
		if f == 0 {
			merge = rows.MergeMean
		}
		p := newPeer(t, rapid.IntRange(1, 9).Draw(t, "peers"), merge, f)
		for k, samples := range drawRows(t, p, 0) {
			trim := f
			if len(samples) <= 2*f {
				samples, trim = samples[:1], 0 // the peer's own
			}
			column := func(of func(c belief.Site) float64) (mean, most float64) {
				var xs []float64
				for _, c := range samples {
					xs = append(xs, of(c))
				}
				slices.Sort(xs)
				xs = xs[trim : len(xs)-trim]
				for _, x := range xs {
					mean, most = mean+x/float64(len(xs)), max(most, x)
				}
				return mean, most
			}
			m := float64(len(samples) - 2*trim)
			mean, _ := column(func(c belief.Site) float64 { return c.Mean })
			sampleVar, _ := column(func(c belief.Site) float64 { return 1 / c.N })
			v, _ := column(func(c belief.Site) float64 { return c.LaplaceSumSq })
			_, b := column(func(c belief.Site) float64 { return c.LaplaceMax })
			got := p.Belief()
			for _, x := range [][2]float64{{got.X[k], mean}, {got.SampleVar[k], sampleVar / m}, {got.LaplaceSumSq[k], v / m}, {got.LaplaceMax[k], b / m}} {
				if math.Abs(x[0]-x[1]) > 1e-9*math.Max(1, math.Abs(x[1])) {
					t.Fatalf("arm %d: got %g, want %g", k, x[0], x[1])
				}
			}
		}
	})
}

// TestTrimmedMergeWithstandsLiars: whatever f of 2f+1 or more origins claim, the
// merged mean of an arm lies between two honest ones.
func TestTrimmedMergeWithstandsLiars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.IntRange(1, 3).Draw(t, "f")
		p := newPeer(t, 2*f+1+rapid.IntRange(0, 4).Draw(t, "more"), rows.MergeTrimmed, f)
		for k, samples := range drawRows(t, p, f) {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, c := range samples {
				lo, hi = min(lo, c.Mean), max(hi, c.Mean)
			}
			if got := p.Belief().X[k]; !(lo-1e-9 <= got && got <= hi+1e-9) {
				t.Fatalf("arm %d: mean %g, the honest ones lie in [%g, %g]", k, got, lo, hi)
			}
		}
	})
}

// TestTrimmedMergeBoundsTheRadius: nor can they make the merged mean look more, or
// less, certain than a mean of honest ones. A liar in the middle of the means that
// claims one pull or huge noise would keep an arm's radius wide for ever: every
// honest site would pull it for ever.
func TestTrimmedMergeBoundsTheRadius(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.IntRange(1, 3).Draw(t, "f")
		p := newPeer(t, 2*f+1+rapid.IntRange(0, 4).Draw(t, "more"), rows.MergeTrimmed, f)
		for k, samples := range drawRows(t, p, f) {
			most, least := float64(p.C.Peers()-2*f), float64(len(samples)-2*f) // samples that count
			if least < 1 {
				least = 1 // liars may be silent, and then the peer trusts itself alone
			}
			var hi, lo belief.Site
			lo = belief.Site{N: math.Inf(1), LaplaceSumSq: math.Inf(1), LaplaceMax: math.Inf(1)}
			for _, c := range samples {
				hi.N, hi.LaplaceSumSq, hi.LaplaceMax = max(hi.N, 1/c.N), max(hi.LaplaceSumSq, c.LaplaceSumSq), max(hi.LaplaceMax, c.LaplaceMax)
				lo.N, lo.LaplaceSumSq, lo.LaplaceMax = min(lo.N, 1/c.N), min(lo.LaplaceSumSq, c.LaplaceSumSq), min(lo.LaplaceMax, c.LaplaceMax)
			}
			got := p.Belief()
			for _, x := range []struct {
				what        string
				lo, got, hi float64
			}{
				{"sample variance", lo.N / most, got.SampleVar[k], hi.N / least},
				{"noise", lo.LaplaceSumSq / most, got.LaplaceSumSq[k], hi.LaplaceSumSq / least},
				{"greatest noise", lo.LaplaceMax / most, got.LaplaceMax[k], hi.LaplaceMax / least},
			} {
				if !(x.lo*(1-1e-9) <= x.got && x.got <= x.hi*(1+1e-9)) {
					t.Fatalf("arm %d: %s %g; honest rows make it %g to %g", k, x.what, x.got, x.lo, x.hi)
				}
			}
		}
	})
}
