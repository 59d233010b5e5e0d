package gossip

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// accept serves a stream that a peer opened.
func (all *links) accept(s network.Stream) {
	from, ok := all.gate.listed[s.Conn().RemotePeer()]
	if !ok { // a former peer
		_ = s.ResetWithError(network.StreamGated)
		return
	}
	l := all.neighbours[from]
	if l == nil {
		m := all.members[from]
		m.refused.Add(1) // it may be at another version of the network
		all.log.Debug("stream refused", "peer", m.name, "reason", "no neighbour")
		_ = s.ResetWithError(network.StreamGated)
		return
	}
	l.receive(s)
}

// receive reads the neighbour's hello and then its messages.
func (l *link) receive(s network.Stream) {
	r := bufio.NewReaderSize(s, wire.Buffer)
	checkpoint, err := l.greet(s, r)
	if err != nil {
		if l.all.life.Err() != nil {
			return
		}
		if errors.Is(err, wire.ErrMismatch) {
			l.refused.Add(1)
			_ = s.Close() // after our hello, which gives the other end the reason
			if errors.Is(err, errRolledBack) || errors.Is(err, errRival) {
				_ = s.Conn().Close() // the other end has read the reason and must not send anything else
			}
		} else {
			l.violated(s, err)
		}
		l.failed(err)
		return
	}
	if old := l.accepted(s); old != nil {
		_ = old.ResetWithError(network.StreamSupplanted)
	}
	l.closeOthers(s.Conn())
	select {
	case l.kick <- struct{}{}:
	default:
	}
	n, err := l.read(s, r, checkpoint)
	if errors.Is(err, io.EOF) {
		l.goodbye()
		l.lost(s, errGoodbye)
		_ = s.Close() // everything was read
		return
	}
	l.lost(s, err)
	l.violated(s, err)
	if errors.Is(err, errRolledBack) {
		_ = s.Conn().Close()
	}
	// A stream without any message may have been given up by a neighbour that was slow
	// to connect, and will be replaced.
	if l.all.cfg.Lossless && n > 0 && l.all.work.Err() == nil {
		l.all.fail(fmt.Errorf("gossip: link from peer %d: %w", l.index, err))
	}
}

// greet answers the neighbour's hello with ours, even if they differ, so that the neighbour can
// also see the difference. It returns the checkpoint with which the neighbour's stream begins.
func (l *link) greet(s network.Stream, r *bufio.Reader) (protocol.SignedCheckpoint, error) {
	if err := s.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return protocol.SignedCheckpoint{}, err
	}
	theirs, err := wire.ReadHello(r)
	if wire.Late(err) {
		return protocol.SignedCheckpoint{}, fmt.Errorf("%w: no hello within %v", wire.ErrViolation, helloTimeout)
	}
	if err != nil {
		return protocol.SignedCheckpoint{}, fmt.Errorf("hello: %w", err)
	}
	rival := l.claims.claim(s.Conn(), theirs.Run) // before our hello, which reports whether the run is accepted
	ours := l.hello()
	if err = wire.WriteHello(s, &ours); err != nil {
		return protocol.SignedCheckpoint{}, fmt.Errorf("hello: %w", err)
	}
	theirs.Differ = l.all.cfg.tradeTerms(s, r, &ours, &theirs, false)
	if err = ours.Check(&theirs, l.index); err != nil {
		return protocol.SignedCheckpoint{}, err
	}
	rival = errors.Join(l.checkRival(&ours, &theirs), rival)
	checkpoint, err := l.firstCheckpoint(r, &ours, &theirs, rival != nil)
	if err = errors.Join(err, rival); err != nil {
		return protocol.SignedCheckpoint{}, err
	}
	l.incarnation.Store(theirs.Incarnation)
	l.alive()
	return checkpoint, s.SetDeadline(time.Time{})
}

// firstCheckpoint reads the checkpoint that the neighbour sends after it has read our hello.
// OnRemembered may end this host, so it is called only now, when the neighbour has certainly
// received our hello.
func (l *link) firstCheckpoint(r *bufio.Reader, ours, theirs *wire.Hello, rival bool) (protocol.SignedCheckpoint, error) {
	if !ours.Checkpoints {
		return protocol.SignedCheckpoint{}, nil
	}
	f := wire.Reader{In: r}
	b, err := f.Next(wire.MaxCheckpoint)
	var wrong error
	if err == nil { // the neighbour has accepted this run
		wrong = l.checkRemembered(theirs.Remembered, rival)
	}
	if wire.Late(err) {
		err = fmt.Errorf("%w: no checkpoint within %v", wire.ErrViolation, helloTimeout)
	}
	if err != nil {
		return protocol.SignedCheckpoint{}, errors.Join(fmt.Errorf("checkpoint: %w", err), wrong)
	}
	checkpoint, err := wire.ParseCheckpoint(b)
	if err == nil && !checkpoint.Follows(theirs.Checkpoint.Checkpoint) {
		err = fmt.Errorf("%w: checkpoint does not follow the hello's", wire.ErrViolation)
	}
	if err == nil {
		err = l.checkAdvertised(checkpoint, ours.Remembered)
	}
	return checkpoint, errors.Join(err, wrong)
}

// closeOthers closes all connections with the neighbour except c. The neighbour dials only if it
// has no connection, so an older one is dead even if this end has not noticed.
func (l *link) closeOthers(c network.Conn) {
	for _, other := range l.all.libp2p.Network().ConnsToPeer(l.id) {
		if other != c {
			_ = other.Close()
		}
	}
}

// read delivers the messages on s, which began with checkpoint. It returns their number and why
// the stream ended.
func (l *link) read(s network.Stream, r *bufio.Reader, checkpoint protocol.SignedCheckpoint) (n uint64, err error) {
	f := wire.Reader{In: r, Deadline: wire.Deadline{SetBy: s.SetReadDeadline, Timeout: l.patience(readTimeout)}}
	for {
		b, err := f.Next(protocol.MaxFrame)
		if wire.Late(err) {
			err = fmt.Errorf("no sign of life for %v: %w", readTimeout, err)
		}
		if err != nil {
			return n, err
		}
		l.alive()
		if len(b) == 0 {
			continue
		}
		if wire.IsCheckpoint(b) {
			if checkpoint, err = l.nextCheckpoint(b, checkpoint); err != nil {
				return n, err
			}
			continue
		}
		m, err := protocol.Decode(vouch.For(b))
		if err != nil {
			return n, fmt.Errorf("%w: %w", wire.ErrViolation, err)
		}
		l.framesIn.Add(1)
		l.bytesIn.Add(wire.Size(len(b)))
		n++
		if !l.all.deliver(l.index, m) {
			return n, ErrClosed
		}
	}
}

// nextCheckpoint reads a checkpoint that comes after another one on a stream.
func (l *link) nextCheckpoint(frame []byte, last protocol.SignedCheckpoint) (protocol.SignedCheckpoint, error) {
	c, err := wire.ParseCheckpoint(frame)
	switch {
	case err != nil:
		return last, err
	case !l.all.cfg.Checkpoints:
		return last, fmt.Errorf("%w: a checkpoint, although none are exchanged", wire.ErrViolation)
	case c.Records <= last.Records:
		return last, fmt.Errorf("%w: %v after %v", wire.ErrViolation, c.Checkpoint, last.Checkpoint)
	case !l.all.cfg.proves(l.index, c):
		return last, fmt.Errorf("%w: %v with a wrong signature", wire.ErrViolation, c.Checkpoint)
	}
	l.bytesIn.Add(wire.Size(len(frame)))
	return c, l.remember(c)
}

// violated resets a stream, and counts a violation if the neighbour broke the rules.
func (l *link) violated(s network.Stream, err error) {
	if !errors.Is(err, wire.ErrViolation) {
		_ = s.Reset()
		return
	}
	l.accuse(err, l.all.log)
	_ = s.ResetWithError(network.StreamProtocolViolation)
}
