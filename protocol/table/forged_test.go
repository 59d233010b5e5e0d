package table_test

import (
	"errors"
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

// newsOf is where a message is one of a series.
type newsOf struct {
	to     protocol.Peer
	kind   protocol.Kind
	stream uint64
	origin protocol.Peer
}

// TestWhatIsForgedIsRefused: a message that another peer has signed than its origin, or that comes in the name of another peer
// without a signature, is refused by everyone who does not know as much already.
func TestWhatIsForgedIsRefused(t *testing.T) {
	everyVariant(t, func(t *testing.T, s protocoltest.Setting) {
		n := protocoltest.New(t, s)
		n.Hostile = true
		play := n.Choices(s.Seed)
		newest := make(map[newsOf]uint64)
		forged := 0
		try := func(p protocoltest.Parcel, m protocol.Message, what string) {
			forged++
			if _, err := n.Deliver(t, int(p.To), protocol.Delivery{From: p.From, Message: m}); !errors.Is(err, protocol.ErrPeer) {
				t.Fatalf("round %d, %s: %v from peer %d to %d: %v", n.Round, what, words(m), p.From, p.To, err)
			}
		}
		for range 40 {
			n.Play(t, play)
			for _, p := range n.Underway {
				l := p.Message.Label()
				at := newsOf{p.To, p.Message.Kind(), uint64(l.Stream), l.Origin}
				if l.Seq <= newest[at] || int(p.To) >= len(n.Peers) {
					continue
				}
				newest[at] = l.Seq
				d := protocoltest.DraftOf(p.Message)
				if len(d.Sig) > 0 {
					try(p, d.Signed(protocoltest.Keys(p.To)), "signed by its receiver")
					continue
				}
				for o := range n.Peers {
					if d.Label.Origin = protocol.Peer(o); d.Label.Origin != p.From && d.Label.Origin != p.To {
						try(p, d.Message(), "in the name of another")
						break
					}
				}
			}
		}
		if forged == 0 {
			t.Error("nothing was forged")
		}
	})
}
