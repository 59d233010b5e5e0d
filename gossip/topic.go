package gossip

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/gossip/wire"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

const (
	// maxTopicRPC is the greatest length that pubsub sends at once. It drops a longer
	// message without an error, so publish checks the length: topicFrame leaves room
	// for author, signature and topic.
	maxTopicRPC = 64 << 10
	topicFrame  = maxTopicRPC - 1024

	// pubsub's default queues hold 32 messages and drop others without an error.
	topicQueue = 1024
)

// topic is the network's GossipSub topic. Its messages are signed by their
// authors, spread along the links, and arrive in any order.
type topic struct {
	*links
	tracer tracer
	topic  *pubsub.Topic
}

// newTopic joins the topic until life ends.
func newTopic(all *links) (*topic, error) {
	t := &topic{links: all}
	t.tracer.blame = t.blame
	name := "/peerd/" + t.cfg.Network + "/1"
	guard := &replayGuard{listed: t.gate.listed, blame: t.blame, authors: make(map[peer.ID]*window)}
	ps, err := pubsub.NewGossipSub(t.life, t.libp2p,
		pubsub.WithLogger(slog.New(Libraries(t.log.Handler()))),
		pubsub.WithMessageSignaturePolicy(pubsub.StrictSign),
		pubsub.WithMaxMessageSize(maxTopicRPC),
		pubsub.WithPeerExchange(false),
		// An author's own messages go to all neighbours, whether they are in the mesh or not.
		pubsub.WithFloodPublish(true),
		// Others with whom there is a connection exchange what does not go over the topic.
		pubsub.WithPeerFilter(func(p peer.ID, _ string) bool {
			i, ok := t.gate.listed[p]
			return ok && slices.Contains(t.cfg.Neighbours, i)
		}),
		pubsub.WithSubscriptionFilter(pubsub.NewAllowlistSubscriptionFilter(name)),
		pubsub.WithDefaultValidator(guard.validate, pubsub.WithValidatorInline(true)),
		pubsub.WithPeerOutboundQueueSize(topicQueue),
		pubsub.WithValidateQueueSize(topicQueue),
		pubsub.WithRawTracer(&t.tracer),
		pubsub.WithAppSpecificRpcInspector(t.inspect),
	)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	if err = ps.RegisterTopicValidator(name, t.validate, pubsub.WithValidatorInline(true)); err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	if t.topic, err = ps.Join(name); err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	sub, err := t.topic.Subscribe(pubsub.WithBufferSize(topicQueue))
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	t.running.Go(func() { t.receive(sub) })
	t.running.Go(t.announce)
	return t, nil
}

// publish sends a frame to all peers. It counts a frame that it cannot send; pubsub may still
// drop one later without an error.
func (t *topic) publish(ctx context.Context, frame []byte) error {
	if len(frame) > topicFrame {
		return t.cannot("message of %d bytes to everyone, at most %d", len(frame), topicFrame)
	}
	if t.cfg.Tap != nil {
		t.cfg.Tap(protocol.Everyone, frame)
	}
	if err := t.topic.Publish(ctx, frame); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if t.Err() != nil {
			return t.Err()
		}
		return t.cannot("publish: %w", err)
	}
	t.tracer.bytesOut.Add(uint64(len(frame)))
	return nil
}

// announce publishes, at intervals, that this peer is up. The first intervals are short, for those that are not linked yet.
func (t *topic) announce() {
	frame := []byte(protocol.Presence(t.cfg.Self, t.cfg.Incarnation).Frame())
	wait := time.Second // the mesh takes as long
	timer := time.NewTimer(jitter(wait))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if err := t.publish(t.work, frame); err != nil {
				return
			}
			wait = min(4*wait, presenceEvery(len(t.members)))
			timer.Reset(jitter(wait))
		case <-t.work.Done():
			return
		}
	}
}

// inspect drops what a peer sends on the topic beyond its quota.
func (t *topic) inspect(p peer.ID, _ *pubsub.RPC) error {
	with := t.traders[p]
	err := with.rpcs.take(time.Now())
	if err != nil {
		t.tracer.dropped.Add(1)
		with.accuse(err, t.log)
	}
	return err
}

// blame counts a message against the peer that forwarded it: one that follows the rules has checked it.
func (t *topic) blame(p peer.ID, reason string) {
	if with := t.traders[p]; with != nil {
		with.accuse(fmt.Errorf("%w: on the topic: %s", wire.ErrViolation, reason), t.log)
	}
}

// validate accepts or rejects a message before it is delivered or forwarded, and attaches
// the decoded message to it.
func (t *topic) validate(_ context.Context, _ peer.ID, msg *pubsub.Message) pubsub.ValidationResult {
	author, ok := t.gate.listed[msg.GetFrom()]
	if !ok {
		return pubsub.ValidationReject
	}
	from := t.members[author]
	if l := t.neighbours[author]; l != nil && l.barred() {
		from.refused.Add(1)
		return pubsub.ValidationIgnore
	}
	m, err := protocol.Decode(vouch.For(msg.GetData()))
	if err == nil && m.IsPresence() && m.Label().Origin != author {
		err = fmt.Errorf("announces peer %d", m.Label().Origin)
	}
	if err != nil {
		from.accuse(fmt.Errorf("%w: on the topic: %w", wire.ErrViolation, err), t.log)
		return pubsub.ValidationReject
	}
	if m.IsPresence() && m.Label().Incarnation < from.incarnation.Load() {
		return pubsub.ValidationIgnore
	}
	msg.ValidatorData = m
	return pubsub.ValidationAccept
}

// receive delivers the messages of other peers.
func (t *topic) receive(sub *pubsub.Subscription) {
	defer sub.Cancel()
	for {
		msg, err := sub.Next(t.life)
		if err != nil {
			return
		}
		author, ok := t.gate.listed[msg.GetFrom()]
		m, decoded := msg.ValidatorData.(protocol.Message)
		if !ok || !decoded || author == t.cfg.Self {
			continue
		}
		from := t.members[author]
		from.alive()
		t.tracer.in.Add(1)
		t.tracer.bytesIn.Add(uint64(len(msg.GetData())))
		if m.IsPresence() {
			from.incarnation.Store(m.Label().Incarnation)
			continue
		}
		if !t.deliver(author, m) {
			return
		}
	}
}

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
