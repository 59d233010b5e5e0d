// A Release written down.
package leak

import "peerd.dev/dp"

func leak(reward int64) dp.Release {
	return dp.Release{v: []int64{reward}}
}

// cannot refer to unexported field v in struct literal of type dp.Release
