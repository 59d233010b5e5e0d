// A release from a saved state of one's own.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

func visit(b []byte) (r dp.Release, err error) {
	err = state.Load(b, 1, func(v *state.Visitor) { protocol.VisitRelease(v, &r) })
	return r, err
}

// as vouch.Value[*state.Visitor] value in argument to protocol.VisitRelease
