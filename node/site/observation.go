package site

import (
	"encoding/binary"
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

// observation is a reward that is taken in, with where it goes. A choice that is not
// learned from has none.
type observation struct {
	route node.Route // In
	pull  bandit.Pull
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (observation) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

func (o *observation) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(o.route.Stream))
	b = binary.AppendUvarint(b, o.route.Epoch)
	b = binary.AppendUvarint(b, uint64(o.pull.Arm))
	b = appendFeatures(b, o.pull.Features)
	return appendReward(b, o.pull.Reward)
}

func (r *reader) observation(s shape) observation {
	return observation{
		node.Route{Stream: r.stream(s), In: true, Epoch: r.uvarint()},
		bandit.Pull{Arm: r.arm(s), Features: r.features(s), Reward: r.reward()},
	}
}
