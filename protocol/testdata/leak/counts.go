// A count that no Release brought.
package leak

import "peerd.dev/dp/averages"

func leak(c *averages.Counts, reward uint64) error {
	return c.Raise(0, reward)
}

// cannot use reward (variable of type uint64) as *dp.Release value in argument to c.Raise
