package gossip

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/protocol"
)

// ErrClosed is returned after a host was closed.
var ErrClosed = errors.New("gossip: host closed")

// A lifetime knows whether a host works, and its goroutines.
type lifetime struct {
	// work ends when no more messages are accepted, life when everything stops; in between the
	// queues are drained.
	work     context.Context
	stopWork context.CancelCauseFunc
	life     context.Context
	stopLife context.CancelFunc

	mu      sync.Mutex     // orders starting goroutines before stopping them
	running sync.WaitGroup // all goroutines except the outbound sides of links
}

// Done is closed when the host is closed or, if it is lossless, when a link breaks.
func (l *lifetime) Done() <-chan struct{} { return l.work.Done() }

// Err returns why the host is done: [ErrClosed] or the error of a broken link. It returns nil
// while the host is running.
func (l *lifetime) Err() error { return context.Cause(l.work) }

// fail ends the host with err. Its neighbours' streams are reset.
func (l *lifetime) fail(err error) {
	l.stopWork(err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopLife()
}

// enter registers the calling goroutine and reports whether the host is still running.
func (l *lifetime) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life.Err() != nil {
		return false
	}
	l.running.Add(1)
	return true
}

const inboxSize = 1024

// base is what all parts of a host stand on.
type base struct {
	lifetime
	cfg           Config
	log           *slog.Logger
	libp2p        host.Host
	gate          *gate
	members       []*member           // by index
	traders       map[peer.ID]*trader // who may exchange network documents and memories
	inbox         chan protocol.Delivery
	undeliverable atomic.Uint64
}

// newBase returns a base without a libp2p host.
func newBase(c Config) (*base, roster, error) {
	r, err := c.check()
	if err != nil {
		return nil, r, err
	}
	if len(c.Listen) == 0 {
		return nil, r, errors.New("gossip: no address to listen on")
	}
	b := &base{cfg: c, log: c.Logger, inbox: make(chan protocol.Delivery, inboxSize)}
	b.work, b.stopWork = context.WithCancelCause(context.Background())
	b.life, b.stopLife = context.WithCancel(context.Background())
	b.cfg.Neighbours = slices.Clone(c.Neighbours)
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	for _, why := range r.unusable {
		b.log.Warn("an address in the network is left out", "err", why)
	}
	for i, p := range r.peers {
		b.members = append(b.members, newMember(protocol.Peer(i), cmp.Or(c.Peers[i].Name, strconv.Itoa(i)), p.ID))
	}
	b.traders = newTraders(b.members, c.Peers, r.former)
	b.gate = newGate(c.Identity.id, r.peers, r.former, b.log)
	b.gate.traders = b.traders
	return b, r, nil
}

// Inbox delivers the messages that arrive. While it is full, the neighbours' messages wait. It is
// never closed; see [Host.Done].
func (b *base) Inbox() <-chan protocol.Delivery { return b.inbox }

// deliver puts a message into the inbox and reports whether it did.
func (b *base) deliver(from protocol.Peer, m protocol.Message) bool {
	select {
	case b.inbox <- protocol.Delivery{From: from, Message: m}:
		return true
	case <-b.life.Done():
		return false
	}
}

// cannot counts a message that cannot be sent. It returns an error only if the host is lossless:
// otherwise the content of a neighbour's message could stop a host.
func (b *base) cannot(format string, args ...any) error {
	err := fmt.Errorf("gossip: "+format, args...)
	if b.cfg.Lossless {
		return err
	}
	b.undeliverable.Add(1)
	b.log.Debug("message dropped", "reason", err)
	return nil
}

// trade asks a peer, which need not be a neighbour, on a stream of a protocol, and accuses it of what is its fault.
func (b *base) trade(ctx context.Context, to protocol.Peer, on corep2p.ID, talk func(s network.Stream) error) error {
	if !b.enter() {
		return ErrClosed
	}
	defer b.running.Done()
	with := b.traders[b.members[to].id]
	err := ask(ctx, b.libp2p, with.id, on, talk)
	with.judge(err, b.log)
	return err
}

// handle serves the streams of a protocol that peers open, until the host ends.
func (b *base) handle(on corep2p.ID, serve func(s network.Stream)) {
	b.libp2p.SetStreamHandler(on, func(s network.Stream) {
		if !b.enter() {
			_ = s.ResetWithError(network.StreamShutdown)
			return
		}
		defer b.running.Done()
		defer context.AfterFunc(b.life, func() { _ = s.ResetWithError(network.StreamShutdown) })()
		serve(s)
	})
}

// handleTrades answers the streams of a protocol that peers open, each for a time, unless a peer has opened too many.
func (b *base) handleTrades(on corep2p.ID, answer func(s network.Stream, with *trader) error) {
	b.handle(on, func(s network.Stream) {
		with := b.traders[s.Conn().RemotePeer()] // the gate refuses all others
		if err := with.trades.take(time.Now()); err != nil {
			with.accuse(err, b.log)
			_ = s.ResetWithError(network.StreamRateLimited)
			return
		}
		err := s.SetDeadline(time.Now().Add(dialTimeout))
		if err == nil {
			err = answer(s, with)
		}
		if err != nil {
			with.judge(err, b.log)
			b.log.Debug("not traded", "with", s.Conn().RemotePeer(), "protocol", s.Protocol(), "reason", oneLine(err))
			_ = s.Reset()
			return
		}
		with.alive()
		_ = s.Close()
	})
}
