//go:build !amd64 || purego

package score

// assembly reports that there is none.
func assembly() bool { return false }

func productsOf(_, _ []float64, _ []Features) { panic("score: no assembly") }

func squaresOf(_ []float64, _ Panels, _ []Features) { panic("score: no assembly") }
