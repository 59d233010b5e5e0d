// Messages for tests.
package foreign

import (
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

func draft(reward uint64) protocol.Message {
	return protocoltest.Draft{Kind: protocol.FirstFree, Label: protocol.Label{Seq: reward}}.Message()
}

// use of internal package peerd.dev/internal/protocoltest not allowed
