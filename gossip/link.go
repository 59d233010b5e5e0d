package gossip

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

const (
	queueSize    = 256
	readTimeout  = 30 * time.Second
	writeTimeout = 10 * time.Second
	keepalive    = 10 * time.Second
)

// A parcel is an encoded message and this peer's checkpoint when it was queued. Checkpoints only
// grow, so dropping a message loses none: the next message has the same or a later one.
type parcel struct {
	frame      string
	checkpoint *protocol.SignedCheckpoint
}

// LinkState is the state of a link.
type LinkState string

// The states.
const (
	None    LinkState = "none"    // not a neighbour, so no link
	Down    LinkState = "down"    // no stream in either direction
	Refused LinkState = "refused" // the two ends are set up differently
	Half    LinkState = "half"    // one direction only
	Up      LinkState = "up"      // both directions
)

var (
	errUndialled = errors.New("waits to be dialled")
	errGoodbye   = errors.New("closed by the peer")
)

// links are the connections with the neighbours.
type links struct {
	*base
	*ledgers
	*clocks
	self       wire.Hello     // ours, without checkpoints
	neighbours []*link        // by index of the peer; nil for others
	writing    sync.WaitGroup // the outbound sides

	order   sync.Mutex
	changed chan struct{} // closed and replaced when a link comes up or goes down
}

func newLinks(k *ledgers, c *clocks) *links {
	all := &links{base: k.base, ledgers: k, clocks: c, self: k.cfg.hello(), changed: make(chan struct{})}
	all.neighbours = make([]*link, len(k.members))
	if k.cfg.Checkpoints {
		all.self.Run = cmp.Or(k.cfg.Run, wire.NewRun())
	}
	for _, n := range k.cfg.Neighbours {
		all.neighbours[n] = newLink(all, k.members[n])
	}
	return all
}

// change returns what is closed when a link comes up or goes down.
func (all *links) change() <-chan struct{} {
	all.order.Lock()
	defer all.order.Unlock()
	return all.changed
}

// notify wakes the callers that wait for links.
func (all *links) notify() {
	all.order.Lock()
	defer all.order.Unlock()
	close(all.changed)
	all.changed = make(chan struct{})
}

// checkpointDue makes every link send this peer's checkpoint unless it has done so. A message on
// the topic cannot wait for it.
func (all *links) checkpointDue() {
	for _, n := range all.cfg.Neighbours {
		select {
		case all.neighbours[n].due <- struct{}{}:
		default:
		}
	}
}

// link is the connection with one neighbour: a stream in each direction. It is up when each end
// has accepted the other's hello on both streams.
type link struct {
	*member
	all   *links
	log   *slog.Logger
	dials bool // this end dials
	queue chan parcel
	kick  chan struct{}             // the neighbour has just opened a stream: try to connect
	due   chan struct{}             // the checkpoint is to be sent without a message
	wrote protocol.SignedCheckpoint // the newest on the outbound stream; used by run only

	claims claims

	mu     sync.Mutex
	out    network.Stream // written by run; nil while down
	in     network.Stream // read by receive; nil while down
	rtt    time.Duration  // of the newest hello
	reason error          // newest reason why the link was down
	logged bool           // the present outage is logged
	lines  quota          // of the log about the link, whose state the other end can change as often as it likes
	left   bool           // the neighbour has closed its stream in good order; lossless only
}

func newLink(all *links, m *member) *link {
	return &link{
		member: m,
		all:    all,
		log:    all.log.With("peer", m.name),
		dials:  all.cfg.dials(m.index),
		queue:  make(chan parcel, queueSize),
		kick:   make(chan struct{}, 1),
		due:    make(chan struct{}, 1),
		claims: claims{of: make(map[network.Conn]wire.Run)},
		lines:  quota{of: "lines", most: 20},
	}
}

// hello returns the first frame of this end on a stream.
func (l *link) hello() wire.Hello {
	ours := l.all.self
	if ours.Checkpoints {
		ours.Checkpoint, ours.Remembered = *l.all.checkpoint.Load(), l.remembered()
		ours.Linked = l.claims.linked()
	}
	return ours
}

// patience returns d, or 0 (no timeout) if links are lossless: then a slow peer does not break
// the link, and yamux detects a dead one.
func (l *link) patience(d time.Duration) time.Duration {
	if l.all.cfg.Lossless {
		return 0
	}
	return d
}

// opened sets the stream that this end opened.
func (l *link) opened(s network.Stream, rtt time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out, l.rtt = s, rtt
	l.announce()
}

// accepted sets a stream that the neighbour opened and returns the stream that it replaces.
func (l *link) accepted(s network.Stream) (old network.Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, l.in = l.in, s
	l.announce()
	return old
}

// announce is called with mu held, after out or in was set.
func (l *link) announce() {
	if l.out != nil && l.in != nil {
		if l.lines.take(time.Now()) == nil {
			l.log.Info("link up", "rtt", l.rtt.String())
		}
		l.logged = false
		if errors.Is(l.reason, errUndialled) {
			l.reason = nil // waiting was not an error
		}
	}
	l.all.notify()
}

// lost removes s from the link, unless another stream has replaced it.
func (l *link) lost(s network.Stream, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	up := l.out != nil && l.in != nil
	switch s {
	case l.out:
		l.out = nil
	case l.in:
		l.in = nil
	default:
		return
	}
	l.reason = why
	if up && l.all.work.Err() == nil {
		level := slog.LevelWarn
		if errors.Is(why, errGoodbye) { // the peer ends, or has another version of the network document
			level = slog.LevelInfo
		}
		l.log.Log(l.all.work, level, "link lost", "reason", oneLine(why))
		l.logged = true
	}
	l.all.notify()
}

// failed records why an attempt to connect failed.
func (l *link) failed(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.out != nil && l.in != nil:
		return // the link is up; this was another stream
	case errors.Is(why, errUndialled) && l.reason != nil:
		return // the error of the dialling end has more detail
	case errors.Is(why, errUndialled):
		l.reason = why
		return
	}
	if news := !l.logged || errors.Is(why, wire.ErrMismatch) && !errors.Is(l.reason, wire.ErrMismatch); news && l.lines.take(time.Now()) == nil {
		l.log.Warn("no link", "reason", oneLine(why))
		l.logged = true
	}
	l.reason = why
	l.all.notify()
}

// goodbye records that the neighbour has closed its stream in good order, so it has sent all its
// messages.
func (l *link) goodbye() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = l.all.cfg.Lossless
}

// gone reports whether the neighbour has closed its stream in good order.
func (l *link) gone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}

// state returns the link's state, the newest round-trip time and the newest
// reason why the link was down.
func (l *link) state() (LinkState, time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Down
	switch {
	case l.out != nil && l.in != nil:
		s = Up
	case errors.Is(l.reason, wire.ErrMismatch):
		s = Refused
	case l.out != nil || l.in != nil:
		s = Half
	}
	return s, l.rtt, l.reason
}

// barred reports whether messages that the neighbour publishes are ignored: it was refused because of
// its checkpoint, and no link with an accepted checkpoint is up.
func (l *link) barred() bool {
	if alarm, _ := l.warning(); alarm == "" {
		return false
	}
	state, _, _ := l.state()
	return state != Up
}

// asks does what [ask] does, on the connection of a link that is up, until the host is done.
func (l *link) asks(ctx context.Context, on corep2p.ID, talk func(s network.Stream) error) error {
	ctx, cancel := context.WithCancel(network.WithNoDial(ctx, "connected before"))
	defer cancel()
	defer context.AfterFunc(l.all.work, cancel)()
	return ask(ctx, l.all.libp2p, l.id, on, talk)
}
