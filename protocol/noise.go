package protocol

import (
	"math"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

var inf = math.Inf(1) //nolint:gochecknoglobals // a constant that Go cannot spell

// setNoise says how much noise part k of a belief has.
func setNoise(m *belief.Means, k int, n dp.NoiseMoments) {
	m.LaplaceSumSq[k], m.LaplaceMax[k], m.GaussVar[k] = n.LaplaceSumSq, n.LaplaceMax, n.GaussVar
}
