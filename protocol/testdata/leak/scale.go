// A Release multiplied by a reward.
package leak

import "peerd.dev/dp"

func leak(r dp.Release, reward float64) dp.Release {
	return r.Scaled(reward)
}

// r.Scaled undefined
