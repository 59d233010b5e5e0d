// A raw vector taken for a Release.
package leak

import "peerd.dev/dp"

func leak(rewards []int64) dp.Release {
	return dp.Release(rewards)
}

// cannot convert rewards (variable of type []int64) to type dp.Release
