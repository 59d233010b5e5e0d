// A saved state of one's own for an agent.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/node"
)

func load(a *node.Agent, b []byte) error { return a.Load(dp.NewSecret(b)) }

// as vouch.Value[[]byte] value in argument to dp.NewSecret
