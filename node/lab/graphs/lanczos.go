package graphs

import (
	"math"
	"math/rand/v2"

	"peerd.dev/gossip/topology"
)

// settled is how little, relative to itself, the sparse eigenvalue may fall, while the number of
// Lanczos steps grows by a fifth, to be accepted.
const settled = 1e-9

// sparseConnectivity returns μ₂ of a connected graph of at least 2 peers by the
// Lanczos method on the Laplacian, restricted to the vectors of mean 0.
//
// Power iteration is too slow: on a ring of 10,000, μ₂ is 1e-7 of the largest eigenvalue and μ₃
// not much more, so it would take 1e8 steps. Lanczos needs the square root of that number, 1e4.
// Inverse iteration that solves L x = b by conjugate gradients gains the same root, but pays for
// it in every solve.
//
// There is no reorthogonalisation, which would keep gigabytes of basis. Without it, rounding
// makes eigenvalues that were already found appear again (Paige, 1980), which does not change the
// least one. But the constant vector must not come back, since its eigenvalue 0 is below μ₂: it
// is removed in every step.
func sparseConnectivity(g *topology.Graph) float64 {
	v, w := make([]float64, g.N()), make([]float64, g.N())
	// The graphs are symmetric, and a start with the same symmetry may have no component along
	// the wanted vector; a random one has. Its seed is fixed, so that the result depends on the
	// graph only.
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	var t tridiagonal
	beta := centre(w)
	mu := math.Inf(1)
	for check := 16; ; {
		v, w = w, v
		for i := range v {
			v[i] /= beta
		}
		alpha := 0.0
		for i := range v {
			w[i] = float64(g.Degree(i))*v[i] - beta*w[i] // w held the vector before v
			for _, j := range g.Neighbours(i) {
				w[i] -= v[j]
			}
			alpha += w[i] * v[i]
		}
		for i := range w {
			w[i] -= alpha * v[i]
		}
		t.diag = append(t.diag, alpha)
		beta = centre(w)
		if beta == 0 { // the vectors so far span all that can be reached from the start
			return t.smallest()
		}
		if len(t.diag) == check {
			before := mu
			mu = t.smallest()
			if before-mu <= settled*mu {
				return mu
			}
			check += check / 5
		}
		t.off = append(t.off, beta*beta)
	}
}

// centre subtracts the mean from x and returns the Euclidean norm of the result.
func centre(x []float64) float64 {
	mean := 0.0
	for _, xi := range x {
		mean += xi
	}
	mean /= float64(len(x))
	square := 0.0
	for i := range x {
		x[i] -= mean
		square += x[i] * x[i]
	}
	return math.Sqrt(square)
}
