// Command blt searches for the parameters of buffered linear Toeplitz factorizations in the table
// of dp/factor, and prints them as Go. For every horizon it takes the fewest buffers that keep
// the greatest variance of a sum within 3 % of the square root's.
package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"peerd.dev/dp/factor"
)

func main() {
	for _, e := range []int{6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30} {
		n := uint64(1) << e
		root := squareRoot(n)
		var b factor.BLT
		for b == nil || b.Error(n) > 1.03*root {
			next, err := search(n, len(b)+1)
			if err != nil {
				fmt.Fprintln(os.Stderr, "blt:", err)
				os.Exit(1)
			}
			b = next
		}
		fmt.Printf("{1 << %d, BLT{ // %.2f %% above the square root\n", e, 100*(b.Error(n)/root-1))
		for _, x := range b {
			fmt.Printf("\t{%.7g, %.7g},\n", x.Decay, x.Weight)
		}
		fmt.Println("}},")
	}
}

// squareRoot returns the greatest variance of the square root, S(n)², from its expansion, with an
// error of 1e-3/n.
func squareRoot(n uint64) float64 {
	const eulerGamma = 0.5772156649015329
	s := (math.Log(float64(n)) + eulerGamma + 4*math.Ln2) / math.Pi
	return s * s
}

// search returns the factorization with d buffers whose greatest variance over n leaves is least,
// as found by Nelder and Mead's simplex, restarted until it ends where it began. Decays start
// evenly on a logarithmic scale from 1/2 to 1/n.
func search(n uint64, d int) (factor.BLT, error) {
	x := make([]float64, 2*d)
	for i := range d {
		x[i] = -math.Ln2 - (math.Log(float64(n))-math.Ln2)*(float64(i)+.3)/float64(d)
		x[d+i] = x[i]/2 - 1
	}
	problem := optimize.Problem{Func: func(x []float64) float64 { return parameters(x).Error(n) }}
	for last := math.Inf(1); ; {
		r, err := optimize.Minimize(problem, x, &optimize.Settings{
			Converger: &optimize.FunctionConverge{Absolute: 1e-10, Iterations: 2000},
		}, &optimize.NelderMead{})
		if err != nil {
			return nil, fmt.Errorf("%d leaves, %d buffers: %w", n, d, err)
		}
		x = r.X
		if r.F > last*(1-1e-7) {
			return parameters(x), nil
		}
		last = r.F
	}
}

// parameters returns the factorization with decays of logarithms x_1 … x_d and weights of
// logarithms x_(d+1) … x_2d, the fastest buffer first.
func parameters(x []float64) factor.BLT {
	d := len(x) / 2
	b := make(factor.BLT, d)
	for i := range b {
		b[i] = factor.Buffer{Decay: math.Exp(x[i]), Weight: math.Exp(x[d+i])}
	}
	slices.SortFunc(b, func(x, y factor.Buffer) int {
		if x.Decay > y.Decay {
			return -1
		}
		return 1
	})
	return b
}
