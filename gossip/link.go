package gossip

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

const linkProtocol = "/peerd/link/2"

const (
	queueSize    = 256
	helloTimeout = 5 * time.Second
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

// link is the connection with one neighbour: a stream in each direction. It is up when each end
// has accepted the other's hello on both streams.
type link struct {
	*member
	h     *Host
	log   *slog.Logger
	dials bool // this end dials
	queue chan parcel
	kick  chan struct{}             // the neighbour has just opened a stream: try to connect
	due   chan struct{}             // the checkpoint is to be sent without a message
	wrote protocol.SignedCheckpoint // the newest on the outbound stream; used by run only

	mu     sync.Mutex
	claims claims
	out    network.Stream // written by run; nil while down
	in     network.Stream // read by receive; nil while down
	rtt    time.Duration  // of the newest hello
	reason error          // newest reason why the link was down
	logged bool           // the present outage is logged
	lines  quota          // of the log about the link, whose state the other end can change as often as it likes
	left   bool           // the neighbour has closed its stream in good order; lossless only
}

func newLink(h *Host, m *member) *link {
	return &link{
		member: m,
		h:      h,
		log:    h.log.With("peer", m.name),
		dials:  h.cfg.Self < m.index,
		queue:  make(chan parcel, queueSize),
		kick:   make(chan struct{}, 1),
		due:    make(chan struct{}, 1),
		claims: make(claims),
		lines:  quota{of: "lines", most: 20},
	}
}

// hello returns the first frame of this end on a stream.
func (l *link) hello() hello {
	ours := l.h.self
	if ours.checkpoints {
		ours.checkpoint, ours.remembered = *l.h.checkpoint.Load(), l.remembered()
		ours.linked = l.linked()
	}
	return ours
}

// patience returns d, or 0 (no timeout) if links are lossless: then a slow peer does not break
// the link, and yamux detects a dead one.
func (l *link) patience(d time.Duration) time.Duration {
	if l.h.cfg.Lossless {
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
	l.h.notify()
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
	if up && l.h.work.Err() == nil {
		level := slog.LevelWarn
		if errors.Is(why, errGoodbye) { // the peer ends, or has another version of the network document
			level = slog.LevelInfo
		}
		l.log.Log(l.h.work, level, "link lost", "reason", oneLine(why))
		l.logged = true
	}
	l.h.notify()
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
	if news := !l.logged || errors.Is(why, ErrMismatch) && !errors.Is(l.reason, ErrMismatch); news && l.lines.take(time.Now()) == nil {
		l.log.Warn("no link", "reason", oneLine(why))
		l.logged = true
	}
	l.reason = why
	l.h.notify()
}

// goodbye records that the neighbour has closed its stream in good order, so it has sent all its
// messages.
func (l *link) goodbye() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = l.h.cfg.Lossless
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
	case errors.Is(l.reason, ErrMismatch):
		s = Refused
	case l.out != nil || l.in != nil:
		s = Half
	}
	return s, l.rtt, l.reason
}
