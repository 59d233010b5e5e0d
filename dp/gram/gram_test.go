package gram

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

const features, streams = 4, 2000

// released returns what many streams release of one leaf with the same records, and the
// deviation of the noise by the charge, as a ledger has it.
func released(t *testing.T, kind dp.Record, records ...[]float64) (all []dp.Release, sigma float64) {
	t.Helper()
	door, err := dp.NewDoor(dp.Lockstep, account.Unlimited, dp.NewSeededSource([32]byte{7}))
	if err != nil {
		t.Fatal(err)
	}
	first, err := door.Open(dp.Spec{
		What: "sums", Streams: streams, Record: kind, Dim: features, Lo: -1, Hi: 1, Leaves: 8, RecordsPerUser: 1,
		Mechanism: dp.TreeGaussian, Epsilon: 5 * dp.Nano, Delta: 1e-6,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range dp.StreamID(streams) {
		for _, x := range records {
			if err := door.Add(first+i, x); err != nil {
				t.Fatal(err)
			}
		}
		leaf, err := door.Leaf(first+i, 1)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, leaf.Sum)
	}
	return all, math.Ldexp(float64(door.Charges()[0].Scale), dp.GridExponent)
}

// TestNoiseIsThatOfTheLedger: on the diagonal σ², off it σ²/2, as (N+Nᵀ)/2 has it. The
// variance of 2000·4 numbers or more is off by 6 % with a probability of 2e-4 at most.
func TestNoiseIsThatOfTheLedger(t *testing.T) {
	for _, kind := range []dp.Record{dp.Linear, dp.Corner} {
		all, sigma := released(t, kind)
		var seen Variances
		for _, r := range all {
			g, err := Of(r, kind, features)
			if err != nil {
				t.Fatal(err)
			}
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
		b := sigma * sigma
		if kind == dp.Corner {
			b /= 2
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

// TestSumsAreThoseOfTheRecords: the noise is averaged away over streams.
func TestSumsAreThoseOfTheRecords(t *testing.T) {
	records := [][]float64{{.5, -.5, .5, .1, .8}, {.1, .2, -.3, .4, -1}, {3, 0, 4, 0, .5}} // the last one is scaled to norm 1
	exact := mat.NewDense(features+1, features+1, nil)
	for _, x := range [][]float64{records[0], records[1], {.6, 0, .8, 0, .5}} {
		z := mat.NewVecDense(features+1, x)
		var outer mat.Dense
		outer.Outer(1, z, z)
		exact.Add(exact, &outer)
	}
	for _, kind := range []dp.Record{dp.Linear, dp.Corner} {
		all, sigma := released(t, kind, records...)
		mean := mat.NewDense(features+1, features+1, nil)
		for _, r := range all {
			g, err := Of(r, kind, features)
			if err != nil {
				t.Fatal(err)
			}
			for i := range features {
				mean.Set(features, i, mean.At(features, i)+g.B.AtVec(i)/streams)
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

// TestMarginIsEnough, but for a tenth of the cases at most, for noise alone.
func TestMarginIsEnough(t *testing.T) {
	all, _ := released(t, dp.Linear)
	short, needed := 0, 0
	for _, r := range all {
		g, err := Of(r, dp.Linear, features)
		if err != nil {
			t.Fatal(err)
		}
		if least(t, g.Shifted(g.Margin(.1))) < 0 {
			short++
		}
		if least(t, g) < 0 {
			needed++
		}
	}
	if short > streams/10 || needed < streams/2 {
		t.Errorf("%d of %d indefinite, %d after the shift", needed, streams, short)
	}
}

// least returns the least eigenvalue of V.
func least(t *testing.T, g Gram) float64 {
	t.Helper()
	var e mat.EigenSym
	if !e.Factorize(g.V, false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)[0]
}

// TestClippedChangesLowEigenvaluesOnly.
func TestClippedChangesLowEigenvaluesOnly(t *testing.T) {
	all, _ := released(t, dp.Linear)
	for _, r := range all[:50] {
		g, err := Of(r, dp.Linear, features)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := g.Clipped(.5)
		if !ok || least(t, c) < .5-1e-9 {
			t.Fatalf("%v: least eigenvalue %v", ok, least(t, c))
		}
		var before, after mat.EigenSym
		before.Factorize(g.V, false)
		after.Factorize(c.V, false)
		for i, v := range before.Values(nil) {
			if got := after.Values(nil)[i]; math.Abs(got-max(v, .5)) > 1e-9 {
				t.Errorf("eigenvalue %v became %v", v, got)
			}
		}
		if again, ok := c.Clipped(.5); !ok || !mat.EqualApprox(again.V, c.V, 1e-9) || c.B != g.B {
			t.Error("clipping twice changes something")
		}
		if s := g.Shifted(2); s.V.At(0, 0) != g.V.At(0, 0)+2 || s.V.At(0, 1) != g.V.At(0, 1) {
			t.Error("a shift is no multiple of the identity")
		}
	}
}

func TestOtherReleasesAreRefused(t *testing.T) {
	all, _ := released(t, dp.Linear)
	for _, c := range []struct {
		kind dp.Record
		d    int
	}{{dp.Box, all[0].Len()}, {dp.Corner, features}, {dp.Linear, features + 1}, {dp.Linear, 0}, {dp.Linear, -1}} {
		if _, err := Of(all[0], c.kind, c.d); !errors.Is(err, dp.ErrShape) {
			t.Errorf("%v, %d: %v", c.kind, c.d, err)
		}
	}
}
