package dp

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

func spec(leaves uint64, m Mechanism) Spec {
	return Spec{
		What: "test", Streams: 1, Dim: 1, Lo: 0, Hi: 1, Leaves: leaves,
		RecordsPerUser: 1, Mechanism: m, Epsilon: Nano,
	}
}

func seeded(b byte) *Source { return NewSeededSource([32]byte{b}) }

// budgetOf returns a budget that pays for s once.
func budgetOf(t require.TB, s Spec) account.Budget {
	if s.Mechanism == None {
		return account.Unlimited
	}
	delta := require.Value(account.DeltaOf(s.Delta))(t)
	return account.Budget{Epsilon: s.Epsilon, Delta: delta}
}

func open(t testing.TB, s Spec, src *Source) *Curator {
	t.Helper()
	d := require.Value(NewCurator(Lockstep, vouch.For(budgetOf(t, s)), src))(t)
	require.Value(d.Open(s))(t)
	return d
}

// TestALeafLiesInAsManyNodesAsAreCharged counts in the nodes that the tree really releases, for
// every horizon, including powers of two.
func TestALeafLiesInAsManyNodesAsAreCharged(t *testing.T) {
	for leaves := uint64(1); leaves <= 130; leaves++ {
		d := open(t, spec(leaves, None), seeded(1))
		in := make([]uint64, leaves+1)
		for k := uint64(1); k <= leaves; k++ {
			l := require.Value(d.Leaf(0, k))(t)
			for i := l.Node.Span().From + 1; i <= l.Node.Span().To; i++ {
				in[i]++
			}
		}
		most := uint64(0)
		for _, n := range in {
			most = max(most, n)
		}
		if charged := design(TreeGaussian).L2(leaves); float64(most) != charged {
			t.Errorf("horizon %d: a leaf lies in %d nodes, %v are charged", leaves, most, charged)
		}
	}
}

// TestSumsAreTheDumbOnes compares the tree with adding everything up.
func TestSumsAreTheDumbOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leaves := rapid.Uint64Range(1, 300).Draw(t, "leaves")
		dim := rapid.IntRange(1, 3).Draw(t, "dim")
		s := spec(leaves, None)
		s.Dim = dim
		d := require.Value(NewCurator(Lockstep, vouch.For(account.Unlimited), seeded(1)))(t)
		require.Value(d.Open(s))(t)
		var (
			sum   = make([]int64, dim)
			count uint64
		)
		for k := uint64(1); k <= leaves; k++ {
			for range rapid.IntRange(0, 2).Draw(t, "records") {
				x := rapid.SliceOfN(rapid.Float64Range(-.5, 1.5), dim, dim).Draw(t, "record")
				require.NoError(t, d.Add(0, x))
				count++
				for i := range x {
					q, _ := Quantize(x[i], 0, 1)
					sum[i] += q
				}
			}
			l := require.Value(d.Leaf(0, k))(t)
			for i := range sum {
				if l.Sum.Value(i) != sum[i] {
					t.Fatalf("leaf %d, entry %d: %d, want %d", k, i, l.Sum.Value(i), sum[i])
				}
			}
			if l.Sum.Count(0) != count || l.Sum.Span() != (Span{From: 0, To: k}) {
				t.Fatalf("leaf %d: %d records in %v, want %d", k, l.Sum.Count(0), l.Sum.Span(), count)
			}
		}
	})
}

// TestEveryNodeHasItsOwnNoiseOfTheChargedScale recomputes the noise of each node from the exact
// sums. The mean of |z| of discrete Laplace noise of scale b is b up to a relative 1/(12b²), its
// deviation b; 2^15 nodes are off by 3 % with probability 5e-8. Noise drawn twice for one node,
// once for two, or none for the first leaf shows as equal or zero noise.
func TestEveryNodeHasItsOwnNoiseOfTheChargedScale(t *testing.T) {
	const leaves = 1 << 15
	s := spec(leaves, Tree)
	s.RecordsPerUser = 3
	d := open(t, s, seeded(2))
	charge := d.TakeCharges()[0]
	if want := uint64(3 * 16 << 20); charge.Scale != want || charge.Loss.Pure != Nano {
		t.Fatalf("charged %+v, want scale %d = 3 records · 16 levels / ε on the grid", charge, want)
	}
	var (
		exact = []int64{0}
		seen  = map[int64]int{}
		abs   float64
		signs float64
	)
	for k := uint64(1); k <= leaves; k++ {
		x := float64(k%7) / 7
		require.NoError(t, d.Add(0, []float64{x}))
		q, _ := Quantize(x, 0, 1)
		exact = append(exact, exact[k-1]+q)
		l := require.Value(d.Leaf(0, k))(t)
		span := l.Node.Span()
		z := l.Node.Value(0) - (exact[span.To] - exact[span.From])
		seen[z]++
		abs += math.Abs(float64(z))
		signs += math.Copysign(1, float64(z))
		if l.Node.noise != charge.noise() {
			t.Fatalf("node of leaf %d says noise %d × %d", k, l.Node.noise.VarianceUnits, l.Node.noise.Scale)
		}
	}
	if got, want := abs/leaves, float64(charge.Scale); math.Abs(got/want-1) > .03 {
		t.Errorf("mean size of noise %.4g, charged scale %.4g", got, want)
	}
	if math.Abs(signs) > 6*math.Sqrt(leaves) {
		t.Errorf("sum of signs %v of %d", signs, leaves)
	}
	if repeats := leaves - len(seen); repeats > 40 { // birthday: about 2^30/(8·5e7) = 2.7 expected
		t.Errorf("%d of %d noises are repeats", repeats, leaves)
	}
}

func TestABadRecordChangesNothing(t *testing.T) {
	s := spec(1, None)
	s.Dim = 2
	d := open(t, s, seeded(1))
	for _, x := range [][]float64{{.5, math.NaN()}, {math.Inf(1), .5}, {.5}, {.5, .5, .5}} {
		if err := d.Add(0, x); err == nil {
			t.Errorf("took in %v", x)
		}
	}
	l := require.Value(d.Leaf(0, 1))(t)
	if l.Sum.Value(0) != 0 || l.Sum.Value(1) != 0 || l.Sum.Count(0) != 0 {
		t.Errorf("bad records left %v behind", l.Sum)
	}
}
