// Package gossip carries messages between peers: over libp2p streams to
// neighbours and over a GossipSub topic to everyone.
//
// The package keeps the privacy barrier at the wire: whatever leaves, apart from
// the constants of a [hello], is what [protocol.Encode] makes of a
// [protocol.Message]; there is no other way to have bytes sent.
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
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"

	"peerd.dev/protocol"
)

// ErrClosed is returned once a host was closed.
var ErrClosed = errors.New("gossip: host closed")

const (
	inboxSize = 1024

	// A host that closes first sees to it that what was queued arrives.
	drainTimeout = 1500 * time.Millisecond
	closeTimeout = 2 * time.Second

	// maxWindow bounds what a stream may hold that nobody has read yet.
	maxWindow = 1 << 20
)

// A Host is a peer's place in the network.
type Host struct {
	cfg     Config
	log     *slog.Logger
	libp2p  host.Host
	gate    *gate
	hello   []byte // ours, encoded
	self    hello
	members []*member // by index
	inbox   chan protocol.Delivery
	topic   *topic // nil without

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
	h := &Host{
		cfg:     c,
		log:     c.Logger,
		inbox:   make(chan protocol.Delivery, inboxSize),
		changed: make(chan struct{}),
		gate:    &gate{listed: make(map[peer.ID]protocol.Peer)},
		self:    hello{helloVersion, c.Self, c.Incarnation, c.Policy, c.Network},
	}
	h.hello = h.self.encode()
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	for i, p := range r.peers {
		h.members = append(h.members, &member{index: protocol.Peer(i), id: p.ID})
		h.gate.listed[p.ID] = protocol.Peer(i)
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

// newLibp2p returns a libp2p host that does not listen yet.
func newLibp2p(c Config, g *gate) (host.Host, error) {
	limits, err := newLimits(len(c.Peers))
	if err != nil {
		return nil, err
	}
	// Links are protected and do not count; the rest are peers that connect
	// although they are no neighbours.
	conns, err := connmgr.NewConnManager(32, 64, connmgr.WithGracePeriod(20*time.Second))
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	agent := c.UserAgent
	if agent == "" {
		agent = "peerd"
	}
	mux := *yamux.DefaultTransport
	mux.MaxStreamWindowSize = maxWindow
	h, err := libp2p.New(
		libp2p.Identity(c.Identity.private),
		libp2p.NoListenAddrs,
		// Shared ports would let a second daemon listen on the same address
		// without an error.
		libp2p.Transport(tcp.NewTCPTransport, tcp.DisableReuseport()),
		libp2p.Security(noise.ID, noise.New),
		libp2p.Muxer(yamux.ID, &mux),
		libp2p.ConnectionGater(g),
		libp2p.ResourceManager(limits),
		libp2p.ConnectionManager(conns),
		libp2p.DisableRelay(),
		libp2p.DisableIdentifyAddressDiscovery(),
		libp2p.DisableMetrics(),
		libp2p.Ping(false),
		// A neighbour that stays away for long must not make libp2p give up on
		// a whole family of addresses.
		libp2p.IPv6BlackHoleSuccessCounter(nil),
		libp2p.WithDialTimeout(dialTimeout),
		libp2p.UserAgent(agent),
	)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
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

// Done is closed when the host is closed or, if lossless, when a link broke.
func (h *Host) Done() <-chan struct{} { return h.work.Done() }

// Err returns why the host is done: [ErrClosed] or the break of a link. Before
// that it returns nil.
func (h *Host) Err() error { return context.Cause(h.work) }

// fail ends the host because of err. Its neighbours see their streams reset.
func (h *Host) fail(err error) {
	h.stopWork(err)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopLife()
}

// enter registers the calling goroutine, unless the host is at its end.
func (h *Host) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life.Err() != nil {
		return false
	}
	h.running.Add(1)
	return true
}

// deliver puts a message into the inbox and reports whether it did.
func (h *Host) deliver(from protocol.Peer, m protocol.Message) bool {
	select {
	case h.inbox <- protocol.Delivery{From: from, Message: m}:
		return true
	case <-h.life.Done():
		return false
	}
}

// Close sends what is queued, as far as that is quickly done, and ends the host.
// It takes two seconds at most.
func (h *Host) Close() error {
	h.closeOnce.Do(func() { h.closeErr = h.close() })
	return h.closeErr
}

func (h *Host) close() error {
	late := time.After(closeTimeout)
	h.stopWork(ErrClosed)
	drained := make(chan struct{})
	go func() {
		h.links.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-time.After(drainTimeout):
	}
	h.fail(ErrClosed)
	gone := make(chan struct{})
	var err error
	go func() {
		// The topic hangs on life and so ends before the streams that it uses.
		err = h.libp2p.Close()
		h.links.Wait()
		h.running.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return err
	case <-late:
		return fmt.Errorf("gossip: host still busy %v after close", closeTimeout)
	}
}
