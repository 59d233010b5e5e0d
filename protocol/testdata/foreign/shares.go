// A share of numbers of one's own, drawn from a source that returns them.
package foreign

import (
	"math/rand/v2"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
)

func share(r dp.Release, rewards rand.Source) (a, b dp.Release, err error) {
	return averages.Split(r, rand.New(rewards))
}

// as vouch.Value[*rand.Rand] value in argument to averages.Split
