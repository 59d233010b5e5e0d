package table

import (
	"peerd.dev/protocol"
)

// The protocols that are not built.

type FakeParams = fakeParams

func Fakes() []protocol.Params { return fakes() }
