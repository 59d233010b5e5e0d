// The memory of a release, filled with a number of one's own.
package foreign

import "peerd.dev/dp"

func remake(r *dp.Release, reward int64) { dp.Remake(r, dp.Fields{Value: []int64{reward}}) }

// as vouch.Value[*dp.Release] value in argument to dp.Remake
