// Package wire has the forms that peers write on streams: frames, and in them hellos, terms and checkpoints. It knows no stream.
package wire

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

// ErrViolation is wrapped by errors that are the other end's fault.
var ErrViolation = errors.New("protocol violation")

// ErrMismatch is wrapped by the errors with which two peers refuse each other: their
// configurations differ, or the checkpoint of one does not follow an earlier one.
var ErrMismatch = errors.New("hello refused")

// Sizes of frames, in bytes.
const (
	Buffer    = 16 << 10 // bytes of a link's buffers
	MaxPrefix = 3        // bytes of a length up to protocol.MaxFrame

	// renew is the age at which a deadline is set again. Setting it costs two allocations and a
	// timer, too much for every frame.
	renew = time.Second
)

// A Deadline is a stream's, for reading or for writing.
type Deadline struct {
	SetBy   func(time.Time) error
	Timeout time.Duration // 0 for none
	set     time.Time
}

// again sets the deadline, unless it has just done so.
func (d *Deadline) again() error {
	if d.Timeout == 0 {
		return nil
	}
	now := time.Now()
	if now.Sub(d.set) <= renew {
		return nil
	}
	d.set = now
	return d.SetBy(now.Add(d.Timeout))
}

// A Reader reads frames. A frame must be complete within Timeout, plus or minus renew, after
// the call of Next; 0 means no limit.
type Reader struct {
	In *bufio.Reader
	Deadline
	buf []byte
}

// Next returns the next frame, which is valid until the following call. [io.EOF] is an end
// between two frames.
func (f *Reader) Next(limit int) ([]byte, error) {
	if err := f.again(); err != nil {
		return nil, err
	}
	n, err := f.length()
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("%w: frame of %d bytes, at most %d", ErrViolation, n, limit)
	}
	if cap(f.buf) < n {
		f.buf = make([]byte, n, min(2*n, limit))
	}
	b := f.buf[:n]
	if _, err := io.ReadFull(f.In, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

func (f *Reader) length() (int, error) {
	n := 0
	for i := range MaxPrefix {
		c, err := f.In.ReadByte()
		if err != nil {
			if i > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		n |= int(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 {
				return 0, fmt.Errorf("%w: length not in shortest form", ErrViolation)
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: length of more than %d bytes", ErrViolation, MaxPrefix)
}

// A Writer writes frames into a buffer. A write may block for at most Timeout; 0 means
// no limit.
type Writer struct {
	Out *bufio.Writer
	Deadline
}

// Put writes a frame.
func (f *Writer) Put(frame string) error {
	if err := f.again(); err != nil {
		return err
	}
	var prefix [binary.MaxVarintLen64]byte
	if _, err := f.Out.Write(prefix[:binary.PutUvarint(prefix[:], uint64(len(frame)))]); err != nil {
		return err
	}
	_, err := f.Out.WriteString(frame)
	return err
}

// Prefixed returns a frame preceded by its length.
func Prefixed(frame []byte) []byte {
	b := make([]byte, 0, MaxPrefix+len(frame))
	return append(binary.AppendUvarint(b, uint64(len(frame))), frame...)
}

// Flush sends what the buffer has.
func (f *Writer) Flush() error { return f.Out.Flush() }

// Size returns how many bytes a frame of n bytes takes on a stream.
func Size(n int) uint64 {
	size := uint64(n) + 1
	for rest := n >> 7; rest > 0; rest >>= 7 {
		size++
	}
	return size
}

// Late reports whether err is an exceeded deadline.
func Late(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
