package sim

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// TestFrameSizes: what a run counts as sent is the length of what a peer sends.
func TestFrameSizes(t *testing.T) {
	for _, e := range papers.All() {
		if e.Cadence().Epochs > 0 || protocol.TraitsOf(e).Wide {
			continue // such a network wants a learner of its own, and its messages are of the same form
		}
		mechanism := dp.Kary
		if !protocol.Suits(e, mechanism) {
			mechanism = dp.EachLaplace
		}
		n := protocoltest.New(t, protocoltest.Setting{
			Params: protocol.Small(e, 2), Graph: protocoltest.Ring(5), Arms: 2, Rounds: 100, Mechanism: mechanism,
		})
		play, seen := n.Choices(1), 0
		for range 60 {
			n.Play(t, play)
			for _, p := range n.Underway {
				seen++
				if got, want := frameSize(&p.Message), len(p.Message.Frame()); got != want {
					t.Fatalf("%s: a frame of kind %d has %d bytes, counted are %d", e.Words().Name, p.Message.Kind(), want, got)
				}
			}
		}
		if seen < 60 {
			t.Errorf("%s: %d messages were seen", e.Words().Name, seen)
		}
	}
}
