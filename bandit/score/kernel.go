package score

import "math"

// lanes is the number of sums that are kept for each vector; they are added up last, in pairs.
const lanes = 4

// Products writes ⟨x, θ⟩ for every x of xs, of finite entries, to dst, which has as many entries.
// It panics if a vector has fewer entries than θ; further ones are ignored. The terms are added
// up in four sums, of every fourth entry each, and with one rounding each (FMA); then the first
// two sums, the last two, and both.
func Products[F ~[]float64](dst, theta []float64, xs []F) {
	dst = dst[:len(xs)]
	for i, x := range xs {
		x = x[:len(theta)]
		var s0, s1, s2, s3 float64
		k := 0
		for ; k+lanes <= len(x); k += lanes {
			t, y := theta[k:k+lanes], x[k:k+lanes]
			s0, s1, s2, s3 = math.FMA(t[0], y[0], s0), math.FMA(t[1], y[1], s1), math.FMA(t[2], y[2], s2), math.FMA(t[3], y[3], s3)
		}
		s := [lanes]float64{s0, s1, s2, s3}
		for l := range len(x) - k {
			s[l] = math.FMA(theta[k+l], x[k+l], s[l])
		}
		dst[i] = (s[0] + s[1]) + (s[2] + s[3])
	}
}

// Squares writes |W x|² for every x of xs, of finite entries, to dst, which has as many entries. W has d columns.
// It panics if a vector has fewer entries than W has columns. An entry of W x is one sum over
// columns in order, and the squares of entries are added up like the terms of [Products].
func Squares[F ~[]float64](dst []float64, w Triangle, d int, xs []F) {
	dst = dst[:len(xs)]
	for n := 0; n < len(xs); n += 4 { // four vectors at a time, so that their sums do not wait for each other
		var x [4]F
		for i := range x { // the last one again if there are fewer
			x[i] = xs[min(n+i, len(xs)-1)][:d]
		}
		var s [lanes][4]float64
		for i := range d {
			row := w.Row(i)
			x0, x1, x2, x3 := x[0][:len(row)], x[1][:len(row)], x[2][:len(row)], x[3][:len(row)]
			var f0, f1, f2, f3 float64
			for j, r := range row {
				f0 = math.FMA(r, x0[j], f0)
				f1 = math.FMA(r, x1[j], f1)
				f2 = math.FMA(r, x2[j], f2)
				f3 = math.FMA(r, x3[j], f3)
			}
			l := &s[i%lanes]
			l[0], l[1], l[2], l[3] = math.FMA(f0, f0, l[0]), math.FMA(f1, f1, l[1]), math.FMA(f2, f2, l[2]), math.FMA(f3, f3, l[3])
		}
		for i := range min(4, len(xs)-n) {
			dst[n+i] = (s[0][i] + s[1][i]) + (s[2][i] + s[3][i])
		}
	}
}
