package gossip

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
)

const (
	dialTimeout = 5 * time.Second
	minPause    = 100 * time.Millisecond // between two attempts
	maxPause    = 30 * time.Second
	// lingerTimeout is for how long an end that refuses a stream waits for the
	// other end to see why.
	lingerTimeout = time.Second
	steady        = 10 * time.Second // a link that held so long may be tried at once again
)

var (
	errUndialled = errors.New("waits to be dialled")
	errGoodbye   = errors.New("closed by the peer")
)

// run keeps the outbound stream up until the host is done.
func (l *link) run() {
	pause := minPause
	for l.h.work.Err() == nil {
		began := time.Now()
		err := l.attempt()
		if l.h.work.Err() != nil || l.gone() {
			return
		}
		if time.Since(began) > steady {
			pause = minPause
		}
		wait := pause
		switch {
		case errors.Is(err, ErrMismatch):
			wait = maxPause
		case errors.Is(err, errUndialled):
			wait = maxPause // the neighbour's stream will kick
		default:
			pause = min(2*pause, maxPause)
		}
		timer := time.NewTimer(jitter(wait))
		select {
		case <-timer.C:
		case <-l.kick:
		case <-l.h.work.Done():
		}
		timer.Stop()
	}
}

// jitter returns a duration from d/2 to d, so that peers that lost each other
// together do not come back together.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2) //nolint:forbidigo // no protocol and no trace depends on it
}

// attempt opens a stream and uses it for as long as it holds.
func (l *link) attempt() error {
	s, r, err := l.open()
	if err != nil {
		l.failed(err)
		return err
	}
	err = l.pump(s, r)
	l.lost(s, err)
	if l.h.cfg.Lossless && !l.gone() && l.h.work.Err() == nil {
		l.h.fail(fmt.Errorf("gossip: link to peer %d: %w", l.index, err))
	}
	// The kick of the stream that came with the lost one is no reason to hurry:
	// a neighbour could keep us reconnecting without pause.
	select {
	case <-l.kick:
	default:
	}
	return err
}

// open opens a stream and exchanges hellos on it.
func (l *link) open() (network.Stream, *bufio.Reader, error) {
	ctx, cancel := context.WithTimeout(l.h.work, dialTimeout)
	defer cancel()
	if err := l.connect(ctx); err != nil {
		return nil, nil, err
	}
	s, err := l.h.libp2p.NewStream(network.WithNoDial(ctx, "connected before"), l.id, linkProtocol)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(l.h.work, func() { _ = s.ResetWithError(network.StreamShutdown) })
	defer stop()
	r := bufio.NewReaderSize(s, maxHello)
	rtt, err := l.introduce(s, r)
	if err != nil {
		_ = s.Reset()
		if errors.Is(err, ErrMismatch) || errors.Is(err, errViolation) {
			l.refused.Add(1)
			// Nothing else is to run over this connection either. The other end
			// has what it needs to name the mismatch: our hello. Other connections
			// may be those of another process with the same key.
			_ = s.Conn().Close()
		}
		return nil, nil, err
	}
	l.opened(s, rtt)
	return s, r, nil
}

// connect sees to it that there is a connection.
func (l *link) connect(ctx context.Context) error {
	if l.h.libp2p.Network().Connectedness(l.id) == network.Connected {
		return nil
	}
	if !l.dials {
		return errUndialled
	}
	// The pauses between dials are ours; libp2p's begin at 5 s.
	if s, ok := l.h.libp2p.Network().(*swarm.Swarm); ok {
		s.Backoff().Clear(l.id)
	}
	return l.h.libp2p.Connect(ctx, peer.AddrInfo{ID: l.id})
}

// introduce says hello on s and reads the other end's, and returns how long that
// took.
func (l *link) introduce(s network.Stream, r *bufio.Reader) (time.Duration, error) {
	began := time.Now()
	if err := s.SetDeadline(began.Add(helloTimeout)); err != nil {
		return 0, err
	}
	ours := l.hello()
	if err := writeHello(s, &ours); err != nil {
		return 0, fmt.Errorf("hello: %w", err)
	}
	theirs, err := readHello(r)
	if err != nil {
		return 0, fmt.Errorf("hello: %w", err)
	}
	rtt := time.Since(began)
	if err := ours.check(&theirs, l.index); err != nil {
		return 0, err
	}
	if err := l.compare(s, r, &ours, &theirs); err != nil {
		return 0, err
	}
	l.incarnation.Store(theirs.incarnation)
	l.alive()
	return rtt, s.SetDeadline(time.Time{})
}

// compare deals with the marks in the hellos of a stream that this end opened.
// Now that the other end has told what it remembers, it is told our mark once
// more, as the first frame after the hellos, also if we have gone back.
func (l *link) compare(s network.Stream, r *bufio.Reader, ours, theirs *hello) error {
	if !ours.marks {
		return nil
	}
	l.wrote = *l.h.mark.Load()
	if _, err := s.Write(prefixed(l.wrote.frame())); err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	err := l.named(theirs.mark, ours.remembered)
	if err != nil || !l.wrote.Follows(theirs.remembered) {
		// Told may end this host, but not before the other end has read the mark.
		_ = s.CloseWrite()
		_ = s.SetReadDeadline(time.Now().Add(lingerTimeout))
		_, _ = io.Copy(io.Discard, r)
	}
	return errors.Join(l.told(theirs.remembered), err)
}
