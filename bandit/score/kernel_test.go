package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSumsAreInTheStatedOrder: one vector by itself, term by term, has the same bits, for every number of
// features up to 130 and of vectors up to 9, also where entries are tiny, huge or 0.
func TestSumsAreInTheStatedOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	entry := func() float64 {
		switch rng.IntN(8) {
		case 0:
			return 0
		case 1:
			return math.Copysign(0, -1)
		case 2:
			return rng.NormFloat64() * math.Exp2(float64(rng.IntN(200)-100))
		}
		return rng.NormFloat64()
	}
	sum := func(x, y []float64) float64 {
		var s [lanes]float64
		for i := range x {
			s[i%lanes] = math.FMA(x[i], y[i], s[i%lanes])
		}
		return (s[0] + s[1]) + (s[2] + s[3])
	}
	for d := 1; d <= 130; d++ {
		w, theta := NewTriangle(d), make([]float64, d)
		for i := range w {
			w[i] = entry()
		}
		for i := range theta {
			theta[i] = entry()
		}
		for k := range 10 {
			xs := make([][]float64, k)
			for n := range xs {
				for range d + n%2 { // some are longer than necessary
					xs[n] = append(xs[n], entry())
				}
			}
			products, squares := make([]float64, k), make([]float64, k)
			Products(products, theta, xs)
			Squares(squares, w, d, xs)
			for n, x := range xs {
				if want := sum(theta, x[:d]); math.Float64bits(products[n]) != math.Float64bits(want) {
					t.Fatalf("product %d of %d, d = %d: %v, want %v", n, k, d, products[n], want)
				}
				f := make([]float64, d)
				for i := range f {
					for j, r := range w.Row(i) {
						f[i] = math.FMA(r, x[j], f[i])
					}
				}
				if want := sum(f, f); math.Float64bits(squares[n]) != math.Float64bits(want) {
					t.Fatalf("square %d of %d, d = %d: %v, want %v", n, k, d, squares[n], want)
				}
			}
		}
	}
}

// TestShortVectorsPanic: nothing is read beyond a vector's end.
func TestShortVectorsPanic(t *testing.T) {
	xs := [][]float64{{1, 2}, {1, 2}, {1, 2}, {1}}
	for name, f := range map[string]func(){
		"products": func() { Products(make([]float64, 4), []float64{1, 2}, xs) },
		"squares":  func() { Squares(make([]float64, 4), Triangle{1, 2, 3}, 2, xs) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a vector that is too short", name)
				}
			}()
			f()
		}()
	}
}
