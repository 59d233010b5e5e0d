package gossip

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
)

// pump writes the queue to s until s breaks or the host is done; then it sends
// what is left and waits until the other end has taken it in.
func (l *link) pump(s network.Stream, r *bufio.Reader) error {
	// After its hello the other end has nothing to say on this stream, so
	// whatever a read returns is the end of it.
	stop := context.AfterFunc(l.h.life, func() { _ = s.ResetWithError(network.StreamShutdown) })
	defer stop()
	broken := make(chan error, 1)
	go func() {
		_, err := r.ReadByte()
		switch {
		case err == nil:
			l.refused.Add(1)
			err = fmt.Errorf("%w: unasked answer", errViolation)
		case errors.Is(err, io.EOF):
			err = errGoodbye
		}
		broken <- err
	}()
	err := l.write(s, broken)
	if late(err) {
		err = fmt.Errorf("the peer takes nothing in for %v: %w", writeTimeout, err)
	}
	_ = s.Reset() // also makes the read return
	if err == nil {
		err = <-broken
	}
	return err
}

// write returns nil if the reason of its end is the one in broken.
func (l *link) write(s network.Stream, broken chan error) error {
	w := frameWriter{
		w:       bufio.NewWriterSize(s, frameBuffer),
		setBy:   s.SetWriteDeadline,
		timeout: l.patience(writeTimeout),
	}
	tick := time.NewTicker(keepalive)
	defer tick.Stop()
	for {
		select {
		case p := <-l.queue:
			if err := l.writeQueue(&w, p); err != nil {
				return err
			}
		case <-l.due:
			if err := errors.Join(l.writeMark(&w, l.h.mark.Load()), w.flush()); err != nil {
				return err
			}
		case <-tick.C:
			if err := errors.Join(w.write(""), w.flush()); err != nil {
				return err
			}
		case err := <-broken:
			broken <- err
			return nil
		case <-l.h.work.Done():
			return l.drain(s, &w, broken)
		}
	}
}

// writeMark writes a mark unless this one, or a later one, is on the stream.
func (l *link) writeMark(w *frameWriter, m *Mark) error {
	if m.Records <= l.wrote.Records {
		return nil
	}
	frame := m.frame()
	if err := w.write(string(frame)); err != nil {
		return err
	}
	l.wrote = *m
	l.bytesOut.Add(framed(len(frame)))
	return nil
}

// writeQueue writes p and what else is queued, and flushes.
func (l *link) writeQueue(w *frameWriter, p parcel) error {
	for {
		if err := l.writeMark(w, p.mark); err != nil {
			l.dropped.Add(1)
			return err
		}
		if l.h.cfg.Tap != nil {
			l.h.cfg.Tap(l.index, []byte(p.frame))
		}
		if err := w.write(p.frame); err != nil {
			l.dropped.Add(1)
			return err
		}
		l.framesOut.Add(1)
		l.bytesOut.Add(framed(len(p.frame)))
		select {
		case p = <-l.queue:
		default:
			return w.flush()
		}
	}
}

// drain ends the stream in good order. The other end answers the end of the
// stream with its own once it has read everything. A host that failed does not
// say goodbye, so that its neighbours fail too.
func (l *link) drain(s network.Stream, w *frameWriter, broken chan error) error {
	if err := l.h.Err(); !errors.Is(err, ErrClosed) {
		return err
	}
	select {
	case p := <-l.queue:
		if err := l.writeQueue(w, p); err != nil {
			return err
		}
	default:
	}
	if err := s.CloseWrite(); err != nil {
		return err
	}
	select {
	case err := <-broken:
		broken <- err
		return nil
	case <-l.h.life.Done():
		return ErrClosed
	}
}
