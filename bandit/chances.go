package bandit

import (
	"math/rand/v2"
	"slices"
)

// Chances sets p, which has an entry for each arm, to the probability with which a learner chooses it, where c is the choice that it
// has just made, or NoArm's. Without a [Sampler] that is the propensity of c, for the arm of c alone. See [Sampler.Chances]. A share of choices
// explores, as in [Explore]: then the arm of c is certain before, unless the learner samples.
func Chances(p []float64, l Learner, b *Belief, t Turn, c Choice, share float64, samples int, rng *rand.Rand) {
	clear(p)
	s, sampler := l.(Sampler)
	switch {
	case sampler:
		s.Chances(p, b, t, c.Arm, samples, rng)
	case share > 0:
		p[c.Arm] = 1
	case c.Arm != NoArm:
		p[c.Arm] = c.Propensity
	}
	if share > 0 {
		AddExploration(p, t, share)
	}
}

// The number of samples of which a propensity is a share: fewer with more than a hundred arms,
// since each costs time.
const (
	mostSamples  = 64
	leastSamples = 8
	armSamples   = 6400
)

// Shares sets p to the share of samples that have each arm. The first sample is own, unless that is NoArm.
func Shares(p []float64, own Arm, samples int, sample func() Arm) {
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

// Even makes all arms that able holds for equally likely, and reports whether there are any.
func Even(p []float64, able func(k int) bool) bool {
	n := 0.
	for k := range p {
		if p[k] = 0; able(k) {
			p[k] = 1
			n++
		}
	}
	for k := range p {
		p[k] /= max(1, n)
	}
	return n > 0
}

// Able reports whether t offers an arm, one of n, and does not exclude it.
func (t *Turn) Able(n int) func(k int) bool {
	n = t.Offered(n)
	return func(k int) bool { return k < n && !t.Excludes(k) }
}

// evenForced makes all arms that [Forced] picks from equally likely, and reports whether there are any.
func evenForced(p []float64, b *Belief, t *Turn) bool {
	return Even(p, func(k int) bool { return slices.Contains(b.Forced, k) && !t.Excludes(k) })
}
