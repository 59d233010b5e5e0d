package bandit

import "math/rand/v2"

// Chances sets p, which has an entry for each arm, to the probability with which a learner chooses it, where c is the choice that it
// has just made, or NoArm's. Without a [Sampler] that is the propensity of c, for the arm of c alone. See [Sampler.Chances].
func Chances(p []float64, l Learner, b *Belief, t Turn, c Choice, samples int, rng *rand.Rand) {
	clear(p)
	if s, ok := l.(Sampler); ok {
		s.Chances(p, b, t, c.Arm, samples, rng)
		return
	}
	if c.Arm != NoArm {
		p[c.Arm] = c.Propensity
	}
}

// The number of samples of which a propensity is a share: fewer with more than a hundred arms,
// since each costs time.
const (
	mostSamples  = 64
	leastSamples = 8
	armSamples   = 6400
)

// shares sets p to the share of samples that have each arm. The first sample is own, unless that is NoArm.
func shares(p []float64, own Arm, samples int, sample func() Arm) {
	clear(p)
	if samples == 0 {
		samples = min(mostSamples, max(leastSamples, armSamples/len(p)))
	}
	from := 0
	if own != NoArm {
		p[own], from = 1, 1
	}
	for range samples - from {
		p[sample()]++
	}
	for k := range p {
		p[k] /= float64(samples)
	}
}

// even makes all arms that t offers and does not exclude equally likely.
func even(p []float64, t *Turn) {
	clear(p)
	able := make([]int, 0, len(p))
	for k := range t.offered(len(p)) {
		if !t.excludes(k) {
			able = append(able, k)
		}
	}
	for _, k := range able {
		p[k] = 1 / float64(len(able))
	}
}

// evenForced makes all arms that [Forced] picks from equally likely, and reports whether there are any.
func evenForced(p []float64, b *Belief, t *Turn) bool {
	clear(p)
	n := 0
	for _, k := range b.Forced {
		if !t.excludes(k) {
			n++
		}
	}
	for _, k := range b.Forced {
		if !t.excludes(k) {
			p[k] = 1 / float64(n)
		}
	}
	return n > 0
}
