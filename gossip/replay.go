package gossip

import (
	"context"
	"encoding/binary"
	"sync"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/protocol"
)

// replayWindow is how many of an author's newest messages may arrive in any
// order. pubsub's own guard accepts ascending numbers only, which would defeat GossipSub's
// recovery of missed messages.
const replayWindow = 1024

// replayGuard ignores repeated messages on the topic; pubsub itself does so for two minutes only.
// The guard's state does not survive a restart: an author's old messages can then pass once more,
// and receivers of rows and announcements ignore them.
type replayGuard struct {
	listed  map[peer.ID]protocol.Peer // never changed
	blame   func(by peer.ID, reason string)
	mu      sync.Mutex
	authors map[peer.ID]*window
}

func (g *replayGuard) validate(_ context.Context, by peer.ID, msg *pubsub.Message) pubsub.ValidationResult {
	number := msg.GetSeqno()
	if _, ok := g.listed[msg.GetFrom()]; !ok || len(number) != 8 { // strangers could fill the memory
		g.blame(by, "a message of a stranger, or without a number")
		return pubsub.ValidationReject
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.authors[msg.GetFrom()]
	if w == nil {
		w = new(window)
		g.authors[msg.GetFrom()] = w
	}
	if !w.first(binary.BigEndian.Uint64(number)) {
		return pubsub.ValidationIgnore
	}
	return pubsub.ValidationAccept
}

// window is the set of the newest sequence numbers that have occurred.
type window struct {
	newest uint64
	seen   [replayWindow / 64]uint64 // bit n%replayWindow is number n's
}

// first adds n and reports whether it is new. A number below the window is never new.
func (w *window) first(n uint64) bool {
	switch {
	case n > w.newest && n-w.newest >= replayWindow:
		clear(w.seen[:])
		w.newest = n
	case n > w.newest:
		for ; w.newest < n; w.newest++ {
			w.seen[(w.newest+1)/64%uint64(len(w.seen))] &^= 1 << ((w.newest + 1) % 64)
		}
	case w.newest-n >= replayWindow:
		return false
	}
	word, bit := &w.seen[n/64%uint64(len(w.seen))], uint64(1)<<(n%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}
