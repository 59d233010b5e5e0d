package gossip

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// pump writes the queue to s until s breaks or the host is done; then it writes the rest
// of the queue and waits until the other end has read it.
func (l *link) pump(s network.Stream, r *bufio.Reader) error {
	// The other end sends nothing on this stream after its hello, so a read returns
	// only at the end of the stream.
	stop := context.AfterFunc(l.all.life, func() { _ = s.ResetWithError(network.StreamShutdown) })
	defer stop()
	broken := make(chan error, 1)
	go func() {
		_, err := r.ReadByte()
		switch {
		case err == nil:
			err = fmt.Errorf("%w: unasked answer", wire.ErrViolation)
			l.accuse(err, l.all.log)
		case errors.Is(err, io.EOF):
			err = errGoodbye
		}
		broken <- err
	}()
	err := l.write(s, broken)
	if wire.Late(err) {
		err = fmt.Errorf("the peer reads nothing for %v: %w", writeTimeout, err)
	}
	_ = s.Reset() // also makes the read return
	if err == nil {
		err = <-broken
	}
	return err
}

// write returns nil if the stream ended for the reason in broken.
func (l *link) write(s network.Stream, broken chan error) error {
	w := wire.Writer{
		Out:      bufio.NewWriterSize(s, wire.Buffer),
		Deadline: wire.Deadline{SetBy: s.SetWriteDeadline, Timeout: l.patience(writeTimeout)},
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
			if err := errors.Join(l.writeCheckpoint(&w, l.all.checkpoint.Load()), w.Flush()); err != nil {
				return err
			}
		case <-tick.C:
			if err := errors.Join(w.Put(""), w.Flush()); err != nil {
				return err
			}
		case err := <-broken:
			broken <- err
			return nil
		case <-l.all.work.Done():
			return l.drain(s, &w, broken)
		}
	}
}

// writeCheckpoint writes a checkpoint unless it, or a later one, is on the stream.
func (l *link) writeCheckpoint(w *wire.Writer, c *protocol.SignedCheckpoint) error {
	if c.Records <= l.wrote.Records {
		return nil
	}
	frame := wire.CheckpointFrame(*c)
	if err := w.Put(string(frame)); err != nil {
		return err
	}
	l.wrote = *c
	l.bytesOut.Add(wire.Size(len(frame)))
	return nil
}

// writeQueue writes p and the rest of the queue, and flushes.
func (l *link) writeQueue(w *wire.Writer, p parcel) error {
	for {
		if err := l.writeCheckpoint(w, p.checkpoint); err != nil {
			l.dropped.Add(1)
			return err
		}
		if l.all.cfg.Tap != nil {
			l.all.cfg.Tap(l.index, []byte(p.frame))
		}
		if err := w.Put(p.frame); err != nil {
			l.dropped.Add(1)
			return err
		}
		l.framesOut.Add(1)
		l.bytesOut.Add(wire.Size(len(p.frame)))
		select {
		case p = <-l.queue:
		default:
			return w.Flush()
		}
	}
}

// drain closes the stream in good order. The other end closes its side once it has read
// everything. A host that failed resets the stream instead, so that its neighbours fail as well.
func (l *link) drain(s network.Stream, w *wire.Writer, broken chan error) error {
	if err := l.all.Err(); !errors.Is(err, ErrClosed) {
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
	case <-l.all.life.Done():
		return ErrClosed
	}
}
