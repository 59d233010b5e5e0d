package protocoltest

import (
	"math"

	"peerd.dev/protocol"
)

// Letter names a peer.
func Letter(p protocol.Peer) string { return string(rune('a' + p)) }

// Lattice returns v·2^e.
func Lattice(v int64, e int8) float64 { return math.Ldexp(float64(v), int(e)) }

// Count returns 1 for what is so, and 0 otherwise.
func Count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// KindName returns the name of a kind among protocols, or "".
func KindName(table []protocol.Params, k protocol.Kind) string {
	for _, p := range table {
		if name := protocol.TraitsOf(p).Kinds[k]; name != "" {
			return name
		}
	}
	return ""
}

// KindOf returns the kind with a name of a protocol. It panics if there is none.
func KindOf(p protocol.Params, name string) protocol.Kind {
	for k, n := range protocol.TraitsOf(p).Kinds {
		if n == name {
			return k
		}
	}
	panic("no kind " + name)
}
