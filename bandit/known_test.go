package bandit

import "peerd.dev/bandit/belief"

// known returns the belief about arms with n pulls each, without noise.
func known(n float64, means ...float64) *Belief {
	b := belief.New(len(means), 1)
	copy(b.X, means)
	for k := range means {
		b.SampleVar[k], b.Pulls[k] = 1/n, uint64(n)
	}
	return &b
}
