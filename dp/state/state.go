// Package state writes and reads saved states: a version byte followed by numbers and parts, in
// an order that writer and reader share. Nothing is optional and nothing has a default, so a
// state of another form is refused and never read partially.
package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrState is wrapped by the errors of [Reader.End].
var ErrState = errors.New("saved state does not fit")

// A Writer appends to a state.
type Writer struct{ b []byte }

// NewWriter returns a Writer of a state of a version.
func NewWriter(version byte) *Writer { return &Writer{[]byte{version}} }

// State returns what was written.
func (w *Writer) State() []byte { return w.b }

// Uint writes a number.
func (w *Writer) Uint(x uint64) { w.b = binary.AppendUvarint(w.b, x) }

// Float writes a float, bit for bit.
func (w *Writer) Float(x float64) { w.b = binary.BigEndian.AppendUint64(w.b, math.Float64bits(x)) }

// Bool writes a truth value.
func (w *Writer) Bool(x bool) {
	b := byte(0)
	if x {
		b = 1
	}
	w.b = append(w.b, b)
}

// Bytes writes a part with its length before it.
func (w *Writer) Bytes(x []byte) {
	w.Uint(uint64(len(x)))
	w.b = append(w.b, x...)
}

// String writes a string with its length before it.
func (w *Writer) String(x string) {
	w.Uint(uint64(len(x)))
	w.b = append(w.b, x...)
}

// Uints writes a list with its length before it.
func (w *Writer) Uints(x []uint64) { list(w, x, w.Uint) }

// Floats writes a list with its length before it.
func (w *Writer) Floats(x []float64) { list(w, x, w.Float) }

// Bools writes a list with its length before it.
func (w *Writer) Bools(x []bool) { list(w, x, w.Bool) }

// Parts writes a list with its length before it.
func (w *Writer) Parts(x [][]byte) { list(w, x, w.Bytes) }

func list[T any](w *Writer, x []T, write func(T)) {
	w.Uint(uint64(len(x)))
	for _, v := range x {
		write(v)
	}
}

// A Reader reads what a Writer wrote. After an error it returns zeros, and [Reader.End] returns
// the error.
type Reader struct {
	b   []byte
	err error
}

// NewReader returns a Reader of a state that must have a version.
func NewReader(b []byte, version byte) *Reader {
	if len(b) == 0 || b[0] != version {
		return &Reader{err: fmt.Errorf("%w: version %x, want %02x: it was written by another release of peerd", ErrState, b[:min(len(b), 1)], version)}
	}
	return &Reader{b: b[1:]}
}

// Fail makes the state one that does not fit.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrState, fmt.Sprintf(format, args...))
	}
	r.b = nil
}

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.Fail("cut short")
		return 0
	}
	r.b = r.b[n:]
	return x
}

// Float reads a float.
func (r *Reader) Float() float64 {
	if len(r.b) < 8 {
		r.Fail("cut short")
		return 0
	}
	x := binary.BigEndian.Uint64(r.b)
	r.b = r.b[8:]
	return math.Float64frombits(x)
}

// Bool reads a truth value.
func (r *Reader) Bool() bool {
	if len(r.b) == 0 || r.b[0] > 1 {
		r.Fail("cut short, or no truth value")
		return false
	}
	x := r.b[0] == 1
	r.b = r.b[1:]
	return x
}

// Bytes reads a part, which shares the state's memory.
func (r *Reader) Bytes() []byte {
	n := r.Uint()
	if n > uint64(len(r.b)) {
		r.Fail("cut short")
		return nil
	}
	x := r.b[:n:n]
	r.b = r.b[n:]
	return x
}

// String reads a string.
func (r *Reader) String() string { return string(r.Bytes()) }

// Uints reads a list, which must be as long as to, into it.
func (r *Reader) Uints(to []uint64) { fill(r, to, r.Uint) }

// Floats reads a list, which must be as long as to, into it.
func (r *Reader) Floats(to []float64) { fill(r, to, r.Float) }

// Bools reads a list, which must be as long as to, into it.
func (r *Reader) Bools(to []bool) { fill(r, to, r.Bool) }

// Parts reads a list, which must be as long as to, into it.
func (r *Reader) Parts(to [][]byte) { fill(r, to, r.Bytes) }

func fill[T any](r *Reader, to []T, read func() T) {
	if n := r.Uint(); r.err == nil && n != uint64(len(to)) {
		r.Fail("%d of what are %d", n, len(to))
	}
	for i := range to {
		to[i] = read()
	}
}

// Len reads the length of a list whose items are read one by one, each of at least a byte.
func (r *Reader) Len() int {
	n := r.Uint()
	if n > uint64(len(r.b)) {
		r.Fail("cut short")
		return 0
	}
	return int(n)
}

// OK reports whether there was no error so far.
func (r *Reader) OK() bool { return r.err == nil }

// End returns the first error, or refuses a state with remaining bytes.
func (r *Reader) End() error {
	if r.err == nil && len(r.b) > 0 {
		r.Fail("%d bytes too long", len(r.b))
	}
	return r.err
}
