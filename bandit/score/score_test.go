package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/internal/require"
)

// a problem of k vectors of d entries, with a positive definite matrix.
type problem struct {
	p     *mat.SymDense
	w     Triangle // P⁻¹ = WᵀW
	theta []float64
	xs    [][]float64
}

func newProblem(t testing.TB, d, k int) (q problem) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(d), uint64(k)))
	normal := func() []float64 {
		x := make([]float64, d)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	q.p = mat.NewSymDense(d, nil)
	for i := range d {
		q.p.SetSym(i, i, .5)
	}
	for range 2 * d {
		q.p.SymRankOne(q.p, 1, mat.NewVecDense(d, normal()))
	}
	q.w = NewTriangle(d)
	for i := range d {
		for j := range i + 1 {
			q.w.Row(i)[j] = q.p.At(i, j)
		}
	}
	if !q.w.Cholesky(d) {
		t.Fatal("not positive definite")
	}
	q.w.Invert(d)
	q.theta = normal()
	for range k {
		q.xs = append(q.xs, normal())
	}
	return q
}

// TestScoresAreThoseOfTheInverse, as gonum computes them.
func TestScoresAreThoseOfTheInverse(t *testing.T) {
	for _, d := range []int{1, 2, 3, 10, 57} {
		for _, k := range []int{1, 3, 4, 5, 30} {
			q := newProblem(t, d, k)
			var inverse mat.Dense
			require.NoError(t, inverse.Inverse(q.p))
			products, squares := make([]float64, k), make([]float64, k)
			Products(products, q.theta, q.xs)
			Squares(squares, q.w, d, q.xs)
			for i, x := range q.xs {
				v := mat.NewVecDense(d, x)
				product, square := mat.Dot(v, mat.NewVecDense(d, q.theta)), mat.Inner(v, &inverse, v)
				if math.Abs(products[i]-product) > 1e-9*(1+math.Abs(product)) || math.Abs(squares[i]-square) > 1e-9*(1+square) {
					t.Fatalf("%d of %d numbers, %d: %v and %v, want %v and %v", k, d, i, products[i], squares[i], product, square)
				}
			}
		}
	}
}

// TestDrawsHaveTheInverseAsCovariance: Wᵀ applied to the unit vectors.
func TestDrawsHaveTheInverseAsCovariance(t *testing.T) {
	const d = 7
	q := newProblem(t, d, 1)
	var inverse mat.Dense
	require.NoError(t, inverse.Inverse(q.p))
	sum := mat.NewSymDense(d, nil)
	for i := range d {
		z, x := make([]float64, d), make([]float64, d)
		z[i] = 1
		AddTransposed(x, q.w, z)
		sum.SymRankOne(sum, 1, mat.NewVecDense(d, x))
	}
	if !mat.EqualApprox(sum, &inverse, 1e-9) {
		t.Errorf("%v, want %v", mat.Formatted(sum), mat.Formatted(&inverse))
	}
}

func TestIndefiniteMatricesHaveNoFactor(t *testing.T) {
	for _, half := range []Triangle{{-1}, {0}, {1, 2, 1}, {math.NaN()}} {
		d := 1
		if len(half) == 3 {
			d = 2
		}
		if half.Cholesky(d) {
			t.Errorf("%v has one", half)
		}
	}
}

func TestScoringAllocatesNothing(t *testing.T) {
	q := newProblem(t, 10, 100)
	dst := make([]float64, 100)
	if n := testing.AllocsPerRun(100, func() {
		Products(dst, q.theta, q.xs)
		Squares(dst, q.w, 10, q.xs)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
