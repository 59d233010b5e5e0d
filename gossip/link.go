package gossip

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
)

const linkProtocol = "/peerd/link/1"

const (
	queueSize    = 256
	helloTimeout = 5 * time.Second
	readTimeout  = 30 * time.Second
	writeTimeout = 10 * time.Second
	keepalive    = 10 * time.Second
)

// A parcel is an encoded message and the mark that this peer had when it was
// queued. Marks only grow, so none is lost with a message that is dropped: the
// next one carries it, or a later one.
type parcel struct {
	frame string
	mark  *Mark
}

// link is the connection with one neighbour: a stream in either direction. It is
// up when each end has accepted the other's hello on both.
type link struct {
	*member
	h     *Host
	log   *slog.Logger
	dials bool // this end dials
	queue chan parcel
	kick  chan struct{} // it may be worth trying to connect now
	due   chan struct{} // the mark is to be sent although no message is
	wrote Mark          // the newest on the outbound stream; run's own

	memory

	mu     sync.Mutex
	out    network.Stream // written by run; nil while down
	in     network.Stream // read by receive; nil while down
	rtt    time.Duration  // of the newest hello
	reason error          // why there is or was no link, newest
	logged bool           // the present outage is
	left   bool           // the neighbour has said goodbye; lossless only
}

func newLink(h *Host, m *member) *link {
	l := &link{
		member: m,
		h:      h,
		log:    h.log.With("peer", uint32(m.index)),
		dials:  h.cfg.Self < m.index,
		queue:  make(chan parcel, queueSize),
		kick:   make(chan struct{}, 1),
		due:    make(chan struct{}, 1),
	}
	if h.cfg.Marks && h.cfg.Seen != nil {
		l.highest = h.cfg.Seen[m.index].plain()
	}
	return l
}

// hello returns what this end says first on a stream.
func (l *link) hello() hello {
	ours := l.h.self
	if ours.marks {
		ours.mark, ours.remembered = *l.h.mark.Load(), l.remembered()
	}
	return ours
}

// patience returns a timeout, or none where links are lossless: there a slow peer
// is no broken link, and a dead one is noticed by yamux.
func (l *link) patience(d time.Duration) time.Duration {
	if l.h.cfg.Lossless {
		return 0
	}
	return d
}

// opened enters the stream that this end opened.
func (l *link) opened(s network.Stream, rtt time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out, l.rtt = s, rtt
	l.announce()
}

// accepted enters a stream that the neighbour opened and returns the one that it
// takes the place of.
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
		l.log.Info("link up", "rtt", l.rtt)
		l.logged = false
		if errors.Is(l.reason, errUndialled) {
			l.reason = nil // that was no trouble
		}
	}
	l.h.notify()
}

// lost takes s off the link, unless another stream has taken its place.
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
		l.log.Warn("link lost", "reason", oneLine(why))
		l.logged = true
	}
	l.h.notify()
}

// failed notes why an attempt to connect came to nothing.
func (l *link) failed(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.out != nil && l.in != nil:
		return // the link is up; it was one stream too many
	case errors.Is(why, errUndialled) && l.reason != nil:
		return // what the dialling end made us see tells more
	case errors.Is(why, errUndialled):
		l.reason = why
		return
	}
	if !l.logged || errors.Is(why, ErrMismatch) && !errors.Is(l.reason, ErrMismatch) {
		l.log.Warn("no link", "reason", oneLine(why))
		l.logged = true
	}
	l.reason = why
	l.h.notify()
}

// goodbye notes that the neighbour ended its stream in good order, and so has
// sent everything that it wanted to.
func (l *link) goodbye() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = l.h.cfg.Lossless
}

// gone reports whether the neighbour has said goodbye.
func (l *link) gone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}

// state returns the link's state, the newest round-trip time and the newest
// reason why the link was down.
func (l *link) state() (State, time.Duration, error) {
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
