package site

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node"
)

// observation is an observed reward with its route. A choice that is not learned from has none.
type observation struct {
	route node.Route // In
	pull  bandit.Pull
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (observation) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

func (o *observation) fields(v *state.Visitor, s shape) {
	if v.Loading() {
		o.route.In = true
	}
	s.stream(v, &o.route.Stream)
	v.Uint(&o.route.Epoch)
	s.arm(v, &o.pull.Arm)
	s.armFeatures(v, &o.pull.Features)
	v.Float((*float64)(&o.pull.Reward))
}
