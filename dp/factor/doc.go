// Package factor is the arithmetic of mechanisms for running sums: what a sum over
// leaves 1 … t is made of, how much noise is in it, and how much one leaf can change
// what is drawn. It draws no noise and keeps no state.
//
// Every mechanism is a factorization A = B·C of the lower triangle of ones: noise z is
// added to C·x, where x are the sums of the leaves, and B·(C·x+z) is released. The
// noise must cover a column of C, in L1 for Laplace noise and in L2 for Gaussian; the
// variance of the sum at t is the square of row t of B times that of an entry of z.
//
// Bounds of columns err upward. They are integers, or floats whose rounding errors are
// bounded, and so are the same on every machine, as is all that decodes: products are
// rounded before they are added to, so that no compiler fuses them.
package factor
