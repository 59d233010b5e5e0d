// What was sent over a link, of one's own.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
)

func load(b []byte) (r dp.Release, err error) {
	f := averages.NewFlow(1)
	return r, f.Load(b)
}

// as vouch.Value[[]byte] value in argument to f.Load
