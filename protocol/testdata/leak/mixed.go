// A reward put where only Releases are mixed.
package leak

import "peerd.dev/dp/averages"

func leak(m *averages.Mixed, reward int64) error {
	return m.Replace(0, reward)
}

// cannot use reward (variable of type int64) as dp.Release value in argument to m.Replace
