// A curator beside the one that the site's budget pays for.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

func curator() (*dp.Curator, error) {
	return dp.NewCurator(dp.Lockstep, account.Unlimited, dp.NewSeededSource([32]byte{}))
}

// as vouch.Value[account.Budget] value in argument to dp.NewCurator
