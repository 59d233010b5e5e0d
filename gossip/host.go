// Package gossip carries messages between peers: over libp2p streams to neighbours and over a
// GossipSub topic to all peers.
//
// The package keeps the privacy barrier at the wire. It sends only these: the frame of a
// [protocol.Message]; the constants of a [hello] and, if the two ends' policies differ, the terms
// behind them; what a [Document] shows; each [protocol.Checkpoint], the number of public
// records with a hash over them, for which the caller of [Host.Advance] is responsible; and what a [Service] answers.
//
// Neighbours are configured. Only the end with the lower index dials. Each end opens one
// long-lived stream to send on, and reads from the stream that the other end opened.
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

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"peerd.dev/protocol"
)

const inboxSize = 1024

// A Host connects a peer with its neighbours and the network's topic.
type Host struct {
	cfg        Config
	log        *slog.Logger
	libp2p     host.Host
	traders    map[peer.ID]*trader // who may exchange network documents and memories
	gate       *gate
	self       hello     // ours, without checkpoints
	members    []*member // by index
	inbox      chan protocol.Delivery
	topic      *topic // nil if this peer has not joined it
	checkpoint atomic.Pointer[protocol.SignedCheckpoint]

	// work ends when no more messages are accepted, life when everything stops; in between the
	// queues are drained.
	work     context.Context
	stopWork context.CancelCauseFunc
	life     context.Context
	stopLife context.CancelFunc

	mu      sync.Mutex    // orders changed, and starting goroutines before stopping them
	changed chan struct{} // closed and replaced when a link comes up or goes down

	links     sync.WaitGroup // the outbound sides of links
	running   sync.WaitGroup // all other goroutines
	closeOnce sync.Once
	closeErr  error

	undeliverable atomic.Uint64
}

var _ interface { // node.Transport
	Send(ctx context.Context, es []protocol.Envelope) error
	Inbox() <-chan protocol.Delivery
} = (*Host)(nil)

// NewHost listens and starts to connect to the neighbours. The caller closes it.
func NewHost(c Config) (*Host, error) {
	r, err := c.check()
	if err != nil {
		return nil, err
	}
	if len(c.Listen) == 0 {
		return nil, errors.New("gossip: no address to listen on")
	}
	h := &Host{
		cfg:     c,
		log:     c.Logger,
		inbox:   make(chan protocol.Delivery, inboxSize),
		changed: make(chan struct{}),
		self:    c.hello(),
	}
	h.cfg.Neighbours = slices.Clone(c.Neighbours)
	h.checkpoint.Store(&protocol.SignedCheckpoint{})
	if c.Checkpoints {
		own, failure := c.signed(c.Checkpoint)
		if failure != nil {
			return nil, failure
		}
		h.checkpoint.Store(&own)
		if h.self.run = c.Run; c.Run == 0 {
			h.self.run = NewRun()
		}
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	for _, why := range r.unusable {
		h.log.Warn("an address in the network is left out", "err", why)
	}
	former, err := c.formerIDs()
	if err != nil {
		return nil, err
	}
	h.gate = newGate(c.Identity.id, r.peers, former, h.log)
	for i, p := range r.peers {
		m := newMember(protocol.Peer(i), cmp.Or(c.Peers[i].Name, strconv.Itoa(i)), p.ID)
		if c.Checkpoints && c.Known != nil {
			m.highest = c.Known[i]
		}
		if stated := c.Peers[i].stated(); c.Checkpoints && stated.Records > m.highest.Records {
			m.pass()
			m.highest = protocol.SignedCheckpoint{Checkpoint: stated}
		}
		m.fork = c.Forks[m.index]
		h.members = append(h.members, m)
	}
	h.traders = newTraders(h.members, c.Peers, former)
	h.gate.traders = h.traders
	if h.libp2p, err = newLibp2p(c, h.gate); err != nil {
		return nil, err
	}
	h.work, h.stopWork = context.WithCancelCause(context.Background())
	h.life, h.stopLife = context.WithCancel(context.Background())
	if err := h.start(r); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (h *Host) start(r roster) error {
	for _, n := range h.cfg.Neighbours {
		h.members[n].link = newLink(h, h.members[n])
		h.libp2p.ConnManager().Protect(r.peers[n].ID, "link")
	}
	for i, p := range r.peers {
		if protocol.Peer(i) != h.cfg.Self {
			h.libp2p.Peerstore().AddAddrs(p.ID, p.Addrs, peerstore.PermanentAddrTTL)
		}
	}
	h.handle(linkProtocol, h.accept)
	h.handle(probeProtocol, h.probed)
	h.handleTrades(clockProtocol, h.tellClock)
	if h.cfg.Document != nil {
		h.handleTrades(documentProtocol, h.tradeBack)
	}
	if h.cfg.Checkpoints {
		h.handleTrades(memoryProtocol, h.tradeMemories)
		for _, x := range h.cfg.Services {
			h.serves(x)
		}
	}
	for _, a := range r.listen {
		if err := h.libp2p.Network().Listen(a); err != nil {
			return fmt.Errorf("gossip: listen on %s: %w", a, err)
		}
	}
	if h.cfg.Topic {
		if err := h.startTopic(); err != nil {
			return err
		}
	}
	for _, n := range h.cfg.Neighbours {
		h.links.Go(h.members[n].link.run)
	}
	for _, x := range h.cfg.Services {
		if h.cfg.Checkpoints && x.Run != nil {
			h.running.Go(func() { x.Run(h.work, h) })
		}
	}
	return nil
}

// Inbox delivers the messages that arrive. While it is full, the neighbours' messages wait. It is
// never closed; see [Host.Done].
func (h *Host) Inbox() <-chan protocol.Delivery { return h.inbox }
