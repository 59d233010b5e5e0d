package spread

import (
	"math"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

// Inf is the variance of what is not known.
var Inf = math.Inf(1) //nolint:gochecknoglobals // a constant that Go cannot spell

// SetNoise sets the noise of part k of a belief.
func SetNoise(m *belief.Means, k int, n dp.NoiseMoments) {
	m.LaplaceSumSq[k], m.LaplaceMax[k], m.GaussVar[k] = n.LaplaceSumSq, n.LaplaceMax, n.GaussVar
}
