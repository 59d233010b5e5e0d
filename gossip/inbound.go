package gossip

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

// accept serves a stream that a peer opened.
func (h *Host) accept(s network.Stream) {
	if !h.enter() {
		_ = s.ResetWithError(network.StreamShutdown)
		return
	}
	defer h.running.Done()
	from, ok := h.gate.listed[s.Conn().RemotePeer()]
	if !ok { // cannot be: the gate is shut to it
		_ = s.ResetWithError(network.StreamGated)
		return
	}
	m := h.members[from]
	if m.link == nil {
		m.refused.Add(1)
		h.log.Debug("stream refused", "peer", uint32(m.index), "reason", "no neighbour")
		_ = s.ResetWithError(network.StreamGated)
		return
	}
	stop := context.AfterFunc(h.life, func() { _ = s.ResetWithError(network.StreamShutdown) })
	defer stop()
	m.link.receive(s)
}

// receive takes in the neighbour's hello and then its messages.
func (l *link) receive(s network.Stream) {
	r := bufio.NewReaderSize(s, frameBuffer)
	mark, err := l.greet(s, r)
	if err != nil {
		if l.h.life.Err() != nil {
			return
		}
		if errors.Is(err, ErrMismatch) {
			l.refused.Add(1)
			_ = s.Close() // lets our hello through, by which the other end sees why
			if errors.Is(err, errWentBack) {
				_ = s.Conn().Close() // it has, and is to bring nothing else either
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
	n, err := l.read(s, r, mark)
	if errors.Is(err, io.EOF) {
		l.goodbye()
		l.lost(s, errGoodbye)
		_ = s.Close() // says that everything was read
		return
	}
	l.lost(s, err)
	l.violated(s, err)
	if errors.Is(err, errWentBack) {
		_ = s.Conn().Close()
	}
	// A stream that never brought anything may have been given up by a
	// neighbour that was slow to connect, and will be replaced.
	if l.h.cfg.Lossless && n > 0 && l.h.work.Err() == nil {
		l.h.fail(fmt.Errorf("gossip: link from peer %d: %w", l.index, err))
	}
}

// greet answers the neighbour's hello with ours, whatever it says, so that the
// neighbour too can see in what we differ. It returns the mark that the
// neighbour's stream begins with.
func (l *link) greet(s network.Stream, r *bufio.Reader) (Mark, error) {
	if err := s.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return Mark{}, err
	}
	theirs, err := readHello(r)
	if late(err) {
		return Mark{}, fmt.Errorf("%w: no hello within %v", errViolation, helloTimeout)
	}
	if err != nil {
		return Mark{}, fmt.Errorf("hello: %w", err)
	}
	ours := l.hello()
	if err = writeHello(s, &ours); err != nil {
		return Mark{}, fmt.Errorf("hello: %w", err)
	}
	if err = ours.check(&theirs, l.index); err != nil {
		return Mark{}, err
	}
	mark, err := l.firstMark(r, &ours, &theirs)
	if err != nil {
		return Mark{}, err
	}
	l.incarnation.Store(theirs.incarnation)
	l.alive()
	return mark, s.SetDeadline(time.Time{})
}

// firstMark reads what the neighbour's mark is now that it has been told. Only
// after that, since it has read our hello for certain, may Told end this host.
func (l *link) firstMark(r *bufio.Reader, ours, theirs *hello) (Mark, error) {
	if !ours.marks {
		return Mark{}, nil
	}
	f := frameReader{r: r}
	b, err := f.next(maxMark)
	told := l.told(theirs.remembered)
	if late(err) {
		err = fmt.Errorf("%w: no mark within %v", errViolation, helloTimeout)
	}
	if err != nil {
		return Mark{}, errors.Join(fmt.Errorf("mark: %w", err), told)
	}
	mark, err := parseMark(b)
	if err == nil && !mark.Follows(theirs.mark) {
		err = fmt.Errorf("%w: mark before that of the hello", errViolation)
	}
	if err == nil {
		err = l.named(mark, ours.remembered)
	}
	return mark, errors.Join(err, told)
}

// closeOthers leaves one connection with the neighbour. It dials only when it
// has none, so any older one is dead even if this end has not noticed yet.
func (l *link) closeOthers(c network.Conn) {
	for _, other := range l.h.libp2p.Network().ConnsToPeer(l.id) {
		if other != c {
			_ = other.Close()
		}
	}
}

// read delivers what s brings after a mark, and returns how many messages that
// were and why there are no more.
func (l *link) read(s network.Stream, r *bufio.Reader, mark Mark) (n uint64, err error) {
	f := frameReader{r: r, setBy: s.SetReadDeadline, timeout: l.patience(readTimeout)}
	for {
		b, err := f.next(protocol.MaxFrame)
		if late(err) {
			err = fmt.Errorf("not a sign of life for %v: %w", readTimeout, err)
		}
		if err != nil {
			return n, err
		}
		l.alive()
		if len(b) == 0 {
			continue
		}
		if isMark(b) {
			if mark, err = l.nextMark(b, mark); err != nil {
				return n, err
			}
			continue
		}
		m, err := protocol.Decode(b)
		if err != nil {
			return n, fmt.Errorf("%w: %w", errViolation, err)
		}
		l.framesIn.Add(1)
		l.bytesIn.Add(framed(len(b)))
		n++
		if !l.h.deliver(l.index, m) {
			return n, ErrClosed
		}
	}
}

// nextMark takes in a mark that follows another one on a stream.
func (l *link) nextMark(frame []byte, last Mark) (Mark, error) {
	m, err := parseMark(frame)
	switch {
	case err != nil:
		return last, err
	case !l.h.cfg.Marks:
		return last, fmt.Errorf("%w: a mark where there are none", errViolation)
	case m.Records <= last.Records:
		return last, fmt.Errorf("%w: %v after %v", errViolation, m, last)
	}
	l.bytesIn.Add(framed(len(frame)))
	return m, l.learn(m)
}

// violated ends a stream, and counts it against the neighbour if it broke the
// rules.
func (l *link) violated(s network.Stream, err error) {
	if !errors.Is(err, errViolation) {
		_ = s.Reset()
		return
	}
	l.refused.Add(1)
	l.log.Debug("stream reset", "reason", oneLine(err))
	_ = s.ResetWithError(network.StreamProtocolViolation)
}
