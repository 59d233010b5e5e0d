// A Release whose numbers are replaced.
package leak

import "peerd.dev/dp"

func leak(r dp.Release, reward int64) {
	r.v[0] = reward
}

// r.v undefined (cannot refer to unexported field v)
