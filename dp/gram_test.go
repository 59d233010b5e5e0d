package dp_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/bandit/gram"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

const features, streams = 4, 2000

// kinds maps kinds of records, as learners name them, to shapes.
var kinds = map[gram.Kind]dp.Shape{gram.Linear: dp.Linear, gram.Corner: dp.Corner, gram.Centred: dp.Linear}

// gramOf passes a release to a learner.
func gramOf(t *testing.T, r dp.Release, kind gram.Kind) gram.Gram {
	t.Helper()
	sums := make([]float64, r.Len())
	for i := range sums {
		sums[i] = r.At(i)
	}
	return require.Value(gram.Of(sums, r.NoiseMoments().Variance(), kind, features))(t)
}

// released returns what many streams release of one leaf with the same records, and the deviation
// of the noise according to the charge, as a ledger has it.
func released(t *testing.T, kind gram.Kind, records ...[]float64) (all []dp.Release, sigma float64) {
	t.Helper()
	curator := require.Value(dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), dp.NewSeededSource([32]byte{7})))(t)
	first := require.Value(curator.Open(dp.Spec{
		What: "sums", Streams: streams, Shape: kinds[kind], Dim: features, Lo: -1, Hi: 1, Leaves: 8, RecordsPerUser: 1,
		Mechanism: dp.TreeGaussian, Epsilon: 5 * dp.Nano, Delta: 1e-6,
	}))(t)
	for i := range dp.StreamID(streams) {
		for _, x := range records {
			require.NoError(t, curator.Add(first+i, x))
		}
		leaf := require.Value(curator.Leaf(first+i, 1))(t)
		all = append(all, leaf.Sum)
	}
	return all, math.Ldexp(float64(curator.TakeCharges()[0].Scale), dp.GridExponent)
}

// TestNoiseIsThatOfTheLedger: its variance is σ² on the diagonal, σ²/2 off it, as for (N+Nᵀ)/2,
// and in the vector as for records. The variance of 2000·4 numbers or more is off by 6 % with a
// probability of at most 2e-4.
func TestNoiseIsThatOfTheLedger(t *testing.T) {
	for kind := range kinds {
		all, sigma := released(t, kind)
		var seen gram.Variances
		for _, r := range all {
			g := gramOf(t, r, kind)
			if g.Noise.Diagonal != sigma*sigma || g.Noise.Off != sigma*sigma/2 {
				t.Fatalf("%v: says %+v, σ = %v", kind, g.Noise, sigma)
			}
			for i := range features {
				seen.Diagonal += g.V.At(i, i) * g.V.At(i, i) / (streams * features)
				seen.B += g.B.AtVec(i) * g.B.AtVec(i) / (streams * features)
				for j := range i {
					seen.Off += g.V.At(i, j) * g.V.At(i, j) / (streams * features * (features - 1) / 2)
				}
			}
		}
		b := sigma * sigma / map[gram.Kind]float64{gram.Linear: 1, gram.Corner: 2, gram.Centred: 4}[kind]
		if g := gramOf(t, all[0], kind); math.Abs(g.Noise.B/b-1) > 1e-12 {
			t.Errorf("%v: says %v of the vector, want %v", kind, g.Noise.B, b)
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{{"diagonal", seen.Diagonal, sigma * sigma}, {"off it", seen.Off, sigma * sigma / 2}, {"vector", seen.B, b}} {
			if math.Abs(c.got/c.want-1) > .06 {
				t.Errorf("%v, %s: variance %v, want %v", kind, c.what, c.got, c.want)
			}
		}
	}
}

// TestSumsAreThoseOfTheRecords: the noise averages out over streams.
func TestSumsAreThoseOfTheRecords(t *testing.T) {
	records := [][]float64{{.5, -.5, .5, .1, .8}, {.1, .2, -.3, .4, -1}, {3, 0, 4, 0, .5}} // the last one is scaled to norm 1
	exact := mat.NewDense(features+1, features+1, nil)
	for _, x := range [][]float64{records[0], records[1], {.6, 0, .8, 0, .5}} {
		z := mat.NewVecDense(features+1, x)
		var outer mat.Dense
		outer.Outer(1, z, z)
		exact.Add(exact, &outer)
	}
	for kind := range kinds {
		all, sigma := released(t, kind, records...)
		mean := mat.NewDense(features+1, features+1, nil)
		for _, r := range all {
			g := gramOf(t, r, kind)
			for i := range features {
				times := 1.
				if kind == gram.Centred { // its rewards are read as twice the centred ones
					times = 2
				}
				mean.Set(features, i, mean.At(features, i)+times*g.B.AtVec(i)/streams)
				for j := range features {
					mean.Set(i, j, mean.At(i, j)+g.V.At(i, j)/streams)
				}
			}
		}
		for i := range features + 1 {
			for j := range features {
				if off := math.Abs(mean.At(i, j) - exact.At(i, j)); off > 5*sigma/math.Sqrt(streams) {
					t.Errorf("%v: entry %d, %d is %v, want %v", kind, i, j, mean.At(i, j), exact.At(i, j))
				}
			}
		}
	}
}
