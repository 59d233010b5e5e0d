// Package factor is the arithmetic of mechanisms for running sums: which terms a sum over leaves
// 1 … t has, how much noise is in it, and how much one leaf can change what is drawn. It draws no
// noise and keeps no state.
//
// Every mechanism is a factorization A = B·C of the lower triangle of ones: noise z is added to
// C·x, where x are the sums of the leaves, and B·(C·x+z) is released. The noise must cover a
// column of C, in L1 for Laplace noise and in L2 for Gaussian; the variance of the sum at t is
// the squared norm of row t of B times the variance of an entry of z.
//
// Bounds of columns are rounded up. They are integers, or floats with bounded rounding errors,
// and so are the same on every machine; the same holds for everything that decodes: products are
// rounded before they are added, so that no compiler fuses them.
package factor
