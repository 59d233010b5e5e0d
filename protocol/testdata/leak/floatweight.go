// A reward in a weight: no operation on Releases takes a float.
package leak

import "peerd.dev/dp"

func leak(r dp.Release, reward float64) (dp.Release, error) {
	return dp.Weighted([]dp.Release{r}, []float64{reward}, 1)
}

// undefined: dp.Weighted
