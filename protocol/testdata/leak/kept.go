// A kept choice, which follows from exact rewards, for an agent.
package leak

import (
	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/protocol"
)

func leak(a *node.Agent, h *kept.Half, turn bandit.Turn, t protocol.Round) node.Route {
	return a.Chose(t, h.Choose(turn, "id"))
}

// cannot use h.Choose(turn, "id") (value of struct type kept.Choice) as node.Given value in argument to a.Chose
