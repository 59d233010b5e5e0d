package score

import "math"

// lanes is the number of sums that a kernel keeps for each vector; they are added up last, in
// pairs.
const lanes = 4

// Panels is a lower triangular d×d matrix W in the form that [Squares] reads.
type Panels struct {
	rows  Triangle
	d     int
	count int       // number of panels: blocks of three rows of lanes
	first int       // columns of the middle row of lanes of the first panel
	w     []float64 // panel by panel, column by column, without the zeros above the diagonal
}

// rowsOfLanes is how many rows of lanes a panel has.
const rowsOfLanes = 3

// Panels returns t, of d×d entries, in panels. The last panel ends with the last row, so the
// first one, whose columns are short, starts with zeros.
func (t Triangle) Panels(d int) Panels {
	n := (d + lanes - 1) / lanes
	count := (n + rowsOfLanes - 1) / rowsOfLanes
	missing := rowsOfLanes*count - n
	p := Panels{rows: t, d: d, count: count, first: lanes * (2 - missing)}
	for panel := range count {
		top := rowsOfLanes*panel - missing // row of lanes; below 0 in the padding
		for j := range min(lanes*(top+rowsOfLanes), d) {
			for r := max(top, j/lanes); r < top+rowsOfLanes; r++ {
				for i := lanes * r; i < lanes*(r+1); i++ {
					v := 0.
					if j <= i && i < d {
						v = t.Row(i)[j]
					}
					p.w = append(p.w, v)
				}
			}
		}
	}
	return p
}

// Products writes ⟨x, θ⟩ for every x of xs, of finite entries, to dst, which has as many entries.
// It panics if a vector has fewer entries than θ; further ones are ignored. The terms are added
// up in four sums, of every fourth entry each, and with one rounding each (FMA); then the first
// two sums, the last two, and both.
func Products(dst, theta []float64, xs []Features) {
	n := len(xs)
	dst = dst[:n]
	if n < lanes || len(theta) == 0 || !assembly() {
		for i, x := range xs {
			dst[i] = product(theta, x[:len(theta)])
		}
		return
	}
	productsOf(dst, theta, xs[:n/lanes*lanes])
	if n%lanes > 0 { // some for the second time, which changes nothing
		productsOf(dst[n-lanes:], theta, xs[n-lanes:])
	}
}

// Squares writes |W x|² for every x of xs, of finite entries, to dst, which has as many entries.
// It panics if a vector has fewer entries than W has columns. An entry of W x is one sum over
// columns in order, and the squares of entries are added up like the terms of [Products].
func Squares(dst []float64, w Panels, xs []Features) {
	n := len(xs)
	dst = dst[:n]
	if n < lanes || !assembly() {
		plainSquares(dst, w, xs)
		return
	}
	squaresOf(dst, w, xs[:n/lanes*lanes])
	if n%lanes > 0 {
		squaresOf(dst[n-lanes:], w, xs[n-lanes:])
	}
}

// product is what the assembly computes for one vector, bit for bit.
func product(theta, x []float64) float64 {
	var s [lanes]float64
	for i, t := range theta {
		s[i%lanes] = math.FMA(t, x[i], s[i%lanes])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// plainSquares is what the assembly computes, bit for bit. It processes four vectors at a time,
// so that their sums do not wait for each other.
func plainSquares(dst []float64, w Panels, xs []Features) {
	if len(xs) == 1 {
		dst[0] = square(w, xs[0][:w.d])
		return
	}
	for n := 0; n < len(xs); n += 4 {
		var x [4]Features
		for i := range x { // the last one again if there are fewer
			x[i] = xs[min(n+i, len(xs)-1)][:w.d]
		}
		var s [lanes][4]float64
		for i := range w.d {
			row := w.rows.Row(i)
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

// square is what the assembly computes for one vector, bit for bit.
func square(w Panels, x []float64) float64 {
	var s [lanes]float64
	for i := range w.d {
		f := 0.
		for j, r := range w.rows.Row(i) {
			f = math.FMA(r, x[j], f)
		}
		s[i%lanes] = math.FMA(f, f, s[i%lanes])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}
