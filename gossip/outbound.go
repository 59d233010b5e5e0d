package gossip

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"

	"peerd.dev/gossip/wire"
)

const (
	minPause = 100 * time.Millisecond // between two attempts
	maxPause = 30 * time.Second
	steady   = 10 * time.Second // the uptime after which a broken link is tried again without a long pause
)

// run keeps the outbound stream up until the host is done.
func (l *link) run() {
	pause := minPause
	for l.all.work.Err() == nil {
		began := time.Now()
		err := l.attempt()
		if l.all.work.Err() != nil || l.gone() {
			return
		}
		if time.Since(began) > steady {
			pause = minPause
		}
		wait := pause
		switch {
		case errors.Is(err, wire.ErrMismatch):
			wait = maxPause
		case errors.Is(err, errUndialled):
			wait = maxPause // or until the neighbour opens a stream
		default:
			pause = min(2*pause, maxPause)
		}
		timer := time.NewTimer(jitter(wait))
		select {
		case <-timer.C:
		case <-l.kick:
		case <-l.all.work.Done():
		}
		timer.Stop()
	}
}

// jitter returns a duration from d/2 to d, so that peers whose links broke together do
// not all dial together.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2) //nolint:forbidigo // no protocol and no trace depends on it
}

// attempt opens a stream and uses it until it breaks.
func (l *link) attempt() error {
	s, r, err := l.open()
	if err != nil {
		l.failed(err)
		return err
	}
	err = l.pump(s, r)
	l.lost(s, err)
	if l.all.cfg.Lossless && !l.gone() && l.all.work.Err() == nil {
		l.all.fail(fmt.Errorf("gossip: link to peer %d: %w", l.index, err))
	}
	// A kick from before the loss must not shorten the pause: a neighbour could otherwise keep us
	// reconnecting without any pause.
	select {
	case <-l.kick:
	default:
	}
	return err
}

// open opens a stream and exchanges hellos on it.
func (l *link) open() (network.Stream, *bufio.Reader, error) {
	ctx, cancel := context.WithTimeout(l.all.work, dialTimeout)
	defer cancel()
	if err := l.connect(ctx); err != nil {
		return nil, nil, err
	}
	s, err := l.all.libp2p.NewStream(network.WithNoDial(ctx, "connected before"), l.id, linkProtocol)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(l.all.work, func() { _ = s.ResetWithError(network.StreamShutdown) })
	defer stop()
	r := bufio.NewReaderSize(s, wire.MaxHello)
	rtt, err := l.introduce(s, r)
	if err != nil {
		_ = s.Reset()
		if errors.Is(err, wire.ErrMismatch) || errors.Is(err, wire.ErrViolation) {
			if errors.Is(err, wire.ErrMismatch) {
				l.refused.Add(1)
			} else {
				l.accuse(err, l.all.log)
			}
			// This connection must not be used for anything else. The other end has our hello,
			// which shows it the mismatch. Other connections may belong to another process with
			// the same key.
			_ = s.Conn().Close()
		}
		return nil, nil, err
	}
	l.opened(s, rtt)
	return s, r, nil
}

// connect dials unless there is a connection.
func (l *link) connect(ctx context.Context) error {
	if l.all.libp2p.Network().Connectedness(l.id) == network.Connected {
		return nil
	}
	if !l.dials {
		return errUndialled
	}
	// run pauses between dials; libp2p's own pauses begin at 5 s.
	if s, ok := l.all.libp2p.Network().(*swarm.Swarm); ok {
		s.Backoff().Clear(l.id)
	}
	return l.all.libp2p.Connect(ctx, peer.AddrInfo{ID: l.id})
}

// introduce exchanges hellos on s and returns how long the exchange took.
func (l *link) introduce(s network.Stream, r *bufio.Reader) (time.Duration, error) {
	if err := s.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return 0, err
	}
	ours := l.hello()
	theirs, rtt, err := l.all.cfg.askHello(s, r, &ours)
	if err != nil {
		return 0, err
	}
	if err := ours.Check(&theirs, l.index); err != nil {
		return 0, err
	}
	rival := errors.Join(l.checkRival(&ours, &theirs), l.claims.claim(s.Conn(), theirs.Run))
	if err := errors.Join(l.compare(s, r, &ours, &theirs, rival != nil), rival); err != nil {
		return 0, err
	}
	l.incarnation.Store(theirs.Incarnation)
	l.alive()
	return rtt, s.SetDeadline(time.Time{})
}

// compare checks the checkpoints in the hellos of a stream that this end opened. This end then
// sends its checkpoint again, as the first frame after the hellos, to show that it has read what
// the other end remembers; it does so even if the checkpoint does not follow the remembered one.
func (l *link) compare(s network.Stream, r *bufio.Reader, ours, theirs *wire.Hello, rival bool) error {
	if !ours.Checkpoints {
		return nil
	}
	l.wrote = *l.all.checkpoint.Load()
	if _, err := s.Write(wire.Prefixed(wire.CheckpointFrame(l.wrote))); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	err := l.checkAdvertised(theirs.Checkpoint, ours.Remembered)
	if err != nil || rival || !l.wrote.Follows(theirs.Remembered.Checkpoint) {
		// OnRemembered may end this host, but the other end must be able to read the checkpoint
		// first.
		linger(s, r)
	}
	return errors.Join(l.checkRemembered(theirs.Remembered, rival), err)
}
