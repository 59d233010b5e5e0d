package gram

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/internal/require"
)

const features, streams = 4, 2000

// noise returns matrices of pure noise, of the distribution that dp's tests show for releases.
func noise(t *testing.T, n int) (all []Gram) {
	t.Helper()
	const sigma = 3
	rng := rand.New(rand.NewPCG(7, 7))
	sums := make([]float64, Linear.len(features))
	for range n {
		for i := range sums {
			sums[i] = sigma * rng.NormFloat64()
		}
		g := require.Value(Of(sums, sigma*sigma, Linear, features))(t)
		all = append(all, g)
	}
	return all
}

// TestMarginIsEnough for pure noise, except in a tenth of the cases and three deviations of their
// number.
func TestMarginIsEnough(t *testing.T) {
	short, needed := 0, 0
	for _, g := range noise(t, streams) {
		if least(t, g)+g.Margin(.1) < 0 {
			short++
		}
		if least(t, g) < 0 {
			needed++
		}
	}
	if short > streams/10+3*14 || needed < streams/2 {
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

// TestLogDet of a matrix with eigenvalues 3, 1 and -2 in directions other than the axes.
func TestLogDet(t *testing.T) {
	q := [][]float64{{1. / 3, 2. / 3, 2. / 3}, {2. / 3, 1. / 3, -2. / 3}, {2. / 3, -2. / 3, 1. / 3}} // orthogonal
	var sums []float64
	for i := range 3 {
		for j := i; j < 3; j++ {
			x := 0.
			for k, value := range []float64{3, 1, -2} {
				x += value * q[k][i] * q[k][j]
			}
			if j > i {
				x *= math.Sqrt2
			}
			sums = append(sums, x)
		}
	}
	g := require.Value(Of(append(sums, 0, 0, 0), 1, Linear, 3))(t)
	if got, want := g.LogDet(.5), math.Log(3.5)+math.Log(1.5)+math.Log(.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOtherSumsAreRefused(t *testing.T) {
	sums := make([]float64, Linear.len(features))
	for _, c := range []struct {
		kind Kind
		d    int
	}{{Centred + 1, features}, {Corner, features}, {Linear, features + 1}, {Linear, 0}, {Linear, -1}} {
		if _, err := Of(sums, 1, c.kind, c.d); !errors.Is(err, ErrShape) {
			t.Errorf("%v, %d: %v", c.kind, c.d, err)
		}
	}
}
