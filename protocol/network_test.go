package protocol_test

import (
	"math"
	"testing"

	"peerd.dev/protocol"
	"peerd.dev/protocol/protocoltest"
)

// newNetwork returns a network whose messages are compared field by field with what the
// wire makes of them.
func newNetwork(t testing.TB, s protocoltest.Setting) *protocoltest.Network {
	t.Helper()
	if s.Carry == nil {
		s.Carry = protocol.OverTheWire
	}
	return protocoltest.New(t, s)
}

// lookup returns an entry of the table.
func lookup(name string) protocol.Params {
	e, err := protocol.Lookup(protocol.Table(), name)
	if err != nil {
		panic(err)
	}
	return e
}

// lattice returns v·2^e.
func lattice(v int64, e int8) float64 { return math.Ldexp(float64(v), int(e)) }

func letter(p protocol.Peer) string { return string(rune('a' + p)) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
