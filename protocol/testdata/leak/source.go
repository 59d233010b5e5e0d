// Noise of one's own choosing.
package leak

import (
	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

type quiet struct{}

func (quiet) Private() bool { return true }

func leak() (*dp.Curator, error) {
	return dp.NewCurator(dp.Private, account.Budget{Epsilon: dp.Nano}, quiet{})
}

// cannot use quiet{} (value of struct type quiet) as *dp.Source value in argument to dp.NewCurator
