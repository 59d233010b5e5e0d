// The arm of a kept choice, as a given one.
package leak

import (
	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/kept"
)

func leak(h *kept.Half, turn bandit.Turn) node.Given {
	return node.Given{choice: bandit.Choice{Arm: h.Choose(turn, "id").of.Arm}}
}

// h.Choose(turn, "id").of undefined (cannot refer to unexported field of)
