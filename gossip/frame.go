package gossip

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// A frame is preceded by its length, a varint in its shortest form. The empty frame is a
// keepalive; a frame that begins with checkpointTag is a checkpoint; all others are messages.

// errViolation is wrapped by errors that are the other end's fault.
var errViolation = errors.New("protocol violation")

// ErrMismatch is wrapped by the errors with which two peers refuse each other: their
// configurations differ, or the checkpoint of one does not follow an earlier one.
var ErrMismatch = errors.New("hello refused")

const (
	frameBuffer = 16 << 10
	maxPrefix   = 3 // bytes of a length up to protocol.MaxFrame

	// renew is the age at which a deadline is set again. Setting it costs two allocations and a
	// timer, too much for every frame.
	renew = time.Second
)

// frameReader reads frames. A frame must be complete within timeout, plus or minus renew, after
// the call of next; 0 means no limit.
type frameReader struct {
	r       *bufio.Reader
	setBy   func(time.Time) error // the stream's deadline
	timeout time.Duration
	set     time.Time
	buf     []byte
}

// next returns the next frame, which is valid until the following call. [io.EOF] is an end
// between two frames.
func (f *frameReader) next(limit int) ([]byte, error) {
	if f.timeout > 0 {
		if now := time.Now(); now.Sub(f.set) > renew {
			if err := f.setBy(now.Add(f.timeout)); err != nil {
				return nil, err
			}
			f.set = now
		}
	}
	n, err := f.length()
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("%w: frame of %d bytes, at most %d", errViolation, n, limit)
	}
	if cap(f.buf) < n {
		f.buf = make([]byte, n, min(2*n, limit))
	}
	b := f.buf[:n]
	if _, err := io.ReadFull(f.r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

func (f *frameReader) length() (int, error) {
	n := 0
	for i := range maxPrefix {
		c, err := f.r.ReadByte()
		if err != nil {
			if i > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		n |= int(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 {
				return 0, fmt.Errorf("%w: length not in shortest form", errViolation)
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: length of more than %d bytes", errViolation, maxPrefix)
}

// frameWriter writes frames into a buffer. A write may block for at most timeout; 0 means
// no limit.
type frameWriter struct {
	w       *bufio.Writer
	setBy   func(time.Time) error // the stream's deadline
	timeout time.Duration
	set     time.Time
}

func (f *frameWriter) write(frame string) error {
	if f.timeout > 0 {
		if now := time.Now(); now.Sub(f.set) > renew {
			if err := f.setBy(now.Add(f.timeout)); err != nil {
				return err
			}
			f.set = now
		}
	}
	var prefix [binary.MaxVarintLen64]byte
	if _, err := f.w.Write(prefix[:binary.PutUvarint(prefix[:], uint64(len(frame)))]); err != nil {
		return err
	}
	_, err := f.w.WriteString(frame)
	return err
}

// prefixed returns a frame preceded by its length.
func prefixed(frame []byte) []byte {
	b := make([]byte, 0, maxPrefix+len(frame))
	return append(binary.AppendUvarint(b, uint64(len(frame))), frame...)
}

func (f *frameWriter) flush() error { return f.w.Flush() }

// framed returns how many bytes a frame of n bytes takes on a stream.
func framed(n int) uint64 {
	size := uint64(n) + 1
	for rest := n >> 7; rest > 0; rest >>= 7 {
		size++
	}
	return size
}

// late reports whether err is an exceeded deadline.
func late(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
