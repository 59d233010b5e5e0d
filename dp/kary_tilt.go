package dp

import (
	"math"
	"slices"

	"peerd.dev/dp/sample"
)

// tilts returns for every open head by how many steps the noise of the nodes known with
// it is tilted when entry i is redrawn. Any tilts give the conditional law. These
// give the heads the means that they have by it, or nearly, and so need few attempts however
// great the noise was: they are where Σ log E exp(tilt·noise) - tilt·known is least, which
// is found by steps of any set of tilts at once (Murota 2003, Discrete Convex Analysis,
// section 10.3.1).
func (s *kary) tilts(i int, open []bool) []int64 {
	best := make([]int64, len(s.level))
	if s.noise.Scale > sample.MaxScale/sample.TiltSteps {
		return best
	}
	// Known is Σ nodes ahead - head + Σ heads that were ahead, a number for every head.
	known, nodes := make([]float64, len(s.level)), make([]float64, len(s.level))
	var heads []int
	for j, l := range s.level {
		for at := i; at < len(l.ahead); at += s.width {
			known[l.carry] += float64(l.ahead[at]) / float64(s.noise.Scale)
			nodes[l.carry]++
		}
		if open[j] {
			heads = append(heads, j)
			head := float64(l.head[i]) / float64(s.noise.Scale)
			known[j] -= head
			if !l.added {
				known[l.carry] += head
			}
		}
	}
	least := 0.
	for tilt, better := slices.Clone(best), true; better; {
		better = false
		from := slices.Clone(best)
		for set := 1; set < 1<<len(heads); set++ {
			for _, step := range []int64{1, -1} {
				copy(tilt, from)
				for bit, c := range heads {
					tilt[c] += int64(set>>bit&1) * step
				}
				sum := 0.
				for _, c := range heads {
					sum += nodes[c]*logTilted(tilt[c]) + logTilted(tilt[c]-s.above(tilt, c)) - float64(tilt[c])/sample.TiltSteps*known[c]
				}
				if sum < least {
					least, better = sum, true
					copy(best, tilt)
				}
			}
		}
	}
	return best
}

// above returns the tilt of the head that counts level c's head among its nodes, 0 if
// that is none since it is added.
func (s *kary) above(tilt []int64, c int) int64 {
	if s.level[c].added {
		return 0
	}
	return tilt[s.level[c].carry]
}

// logTilted returns log E exp(i·x/16) of Laplace noise x of scale 1.
func logTilted(i int64) float64 {
	if i <= -sample.TiltSteps || i >= sample.TiltSteps {
		return math.Inf(1)
	}
	x := float64(i) / sample.TiltSteps
	return -math.Log1p(-x * x)
}
