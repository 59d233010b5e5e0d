package site

import (
	"testing"

	"peerd.dev/node/store/storetest"
	"peerd.dev/protocol"
)

// TestMessagesFollowTheirStep: when messages are sent, the step that made them is durable.
func TestMessagesFollowTheirStep(t *testing.T) {
	for _, name := range protocols() {
		r := newRig(t, usual(name, OnArrival))
		r.memory = storetest.NewMemory()
		sent := 0
		r.net.watch = func([]protocol.Envelope, protocol.Checkpoint) {
			if sent++; r.memory.Unsynced() > 0 {
				t.Errorf("%s: messages are sent while %d batches are not durable", name, r.memory.Unsynced())
			}
		}
		r.start()
		r.rounds(9)
		if sent == 0 {
			t.Errorf("%s: nothing was sent", name)
		}
		r.stop()
	}
}
