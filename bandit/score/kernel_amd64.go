//go:build !purego

package score

import "golang.org/x/sys/cpu"

// assembly reports whether this machine runs the assembly.
func assembly() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// products computes [Products] of 4·groups vectors of d entries. xs points at the first of them. ok
// is false if one is shorter.
//
//go:noescape
func products(dst *float64, groups int, xs *Features, theta *float64, d int) (ok bool)

// squares computes [Squares] of 4·groups vectors of d entries. xs points at the first of them and w
// at the numbers of panels; first is as in [Panels]. ok is false if a vector is shorter.
//
//go:noescape
func squares(dst *float64, groups int, xs *Features, w *float64, panels, first, d int) (ok bool)

const tooShort = "score: a vector is too short"

func productsOf(dst, theta []float64, xs []Features) {
	if !products(&dst[0], len(xs)/lanes, &xs[0], &theta[0], len(theta)) {
		panic(tooShort)
	}
}

func squaresOf(dst []float64, w Panels, xs []Features) {
	if !squares(&dst[0], len(xs)/lanes, &xs[0], &w.w[0], w.count, w.first, w.d) {
		panic(tooShort)
	}
}
