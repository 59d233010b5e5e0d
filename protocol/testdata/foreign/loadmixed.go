// A saved state of one's own, out of which releases come.
package foreign

import (
	"peerd.dev/dp/averages"
)

func load(b []byte) error { return averages.NewMixed(1, 1).Load(b) }

// as vouch.Value[[]byte] value in argument to averages.NewMixed(1, 1).Load
