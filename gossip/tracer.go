package gossip

import (
	"sync/atomic"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"
)

// tracer counts events of the topic, in particular the messages that pubsub drops, which it
// reports in no other way.
type tracer struct {
	in                atomic.Uint64
	bytesOut, bytesIn atomic.Uint64
	dropped, refused  atomic.Uint64
	blame             func(p peer.ID, reason string)
}

var _ pubsub.RawTracer = (*tracer)(nil)

// DropRPC counts an RPC for which a peer's outbound queue had no room.
func (t *tracer) DropRPC(*pubsub.RPC, peer.ID) { t.dropped.Add(1) }

// UndeliverableMessage counts a message that this host did not read in time.
func (t *tracer) UndeliverableMessage(*pubsub.Message) { t.dropped.Add(1) }

// RejectMessage counts a message that was rejected.
func (t *tracer) RejectMessage(m *pubsub.Message, reason string) {
	switch reason {
	case pubsub.RejectValidationQueueFull, pubsub.RejectValidationThrottled:
		t.dropped.Add(1)
	case pubsub.RejectSelfOrigin: // an echo of our own
	case pubsub.RejectValidationFailed, pubsub.RejectValidationIgnored: // counted by the validator
		t.refused.Add(1)
	default:
		t.refused.Add(1)
		t.blame(m.ReceivedFrom, reason)
	}
}

// The rest of a RawTracer is not needed.

func (t *tracer) OnNewOutboundStream(peer.ID, corep2p.ID)              {}
func (t *tracer) OnClosedOutboundStream(peer.ID)                       {}
func (t *tracer) Join(string)                                          {}
func (t *tracer) Leave(string)                                         {}
func (t *tracer) Graft(peer.ID, string)                                {}
func (t *tracer) Prune(peer.ID, string)                                {}
func (t *tracer) ValidateMessage(*pubsub.Message)                      {}
func (t *tracer) DeliverMessage(*pubsub.Message)                       {}
func (t *tracer) DuplicateMessage(*pubsub.Message)                     {}
func (t *tracer) ThrottlePeer(peer.ID)                                 {}
func (t *tracer) RecvRPC(*pubsub.RPC)                                  {}
func (t *tracer) SendRPC(*pubsub.RPC, peer.ID)                         {}
func (t *tracer) SendRPCCompleted(*pubsub.RPC, peer.ID, time.Duration) {}
