// Package gossip carries messages between peers: over libp2p streams to
// neighbours and over a GossipSub topic to everyone.
//
// The package keeps the privacy barrier at the wire. Three things leave, and there
// is no other way to have bytes sent: the frame of a
// [protocol.Message]; the constants of a [hello]; and each [Mark], a count of
// public records with a hash over them, which whoever calls [Host.Advance] answers
// for.
//
// Who is a neighbour is configuration. Only the end with the lower index dials;
// each end opens one long-lived stream for what it sends and reads from the one
// that the other end opened.
package gossip

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"peerd.dev/protocol"
)

const inboxSize = 1024

// A Host is a peer's place in the network.
type Host struct {
	cfg     Config
	log     *slog.Logger
	libp2p  host.Host
	gate    *gate
	self    hello     // ours, without marks
	members []*member // by index
	inbox   chan protocol.Delivery
	topic   *topic // nil without
	mark    atomic.Pointer[Mark]

	// work ends when nothing more is to be sent, life when everything is to
	// stop; life outlasts work by the time that it takes to drain the queues.
	work     context.Context
	stopWork context.CancelCauseFunc
	life     context.Context
	stopLife context.CancelFunc

	mu      sync.Mutex    // orders changed, and starting goroutines before stopping them
	changed chan struct{} // closed and made anew when a link comes or goes

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

// member is what a host keeps of each peer of the network.
type member struct {
	index       protocol.Peer
	id          peer.ID
	link        *link // nil unless a neighbour
	incarnation atomic.Uint32
	seen        atomic.Int64 // Unix time in ns of the newest sign of life; 0 for none
	refused     atomic.Uint64
	dropped     atomic.Uint64
	framesIn    atomic.Uint64
	framesOut   atomic.Uint64
	bytesIn     atomic.Uint64
	bytesOut    atomic.Uint64
}

func (m *member) alive() { m.seen.Store(time.Now().UnixNano()) }

// NewHost listens and begins to connect to its neighbours.
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
	h.mark.Store(&Mark{})
	if c.Marks {
		own := c.Mark.plain()
		h.mark.Store(&own)
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.gate = newGate(c.Identity.id, r.peers, h.log)
	for i, p := range r.peers {
		h.members = append(h.members, &member{index: protocol.Peer(i), id: p.ID})
	}
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
	h.libp2p.SetStreamHandler(linkProtocol, h.accept)
	h.libp2p.SetStreamHandler(probeProtocol, h.answer)
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
	return nil
}

// Inbox delivers what arrives. Whoever does not read from it holds up the
// neighbours. It is never closed; see [Host.Done].
func (h *Host) Inbox() <-chan protocol.Delivery { return h.inbox }
