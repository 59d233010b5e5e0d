package dp

import (
	"encoding/binary"
	"fmt"
)

// reader reads a saved state. Once something is wrong it is bad and returns zeros.
type reader struct {
	b   []byte // still to be read
	bad bool
}

// newReader reads past the version.
func newReader(b []byte) *reader {
	if len(b) == 0 || b[0] != stateVersion {
		return &reader{bad: true}
	}
	return &reader{b: b[1:]}
}

func (r *reader) uint() uint64 {
	x, n := binary.Uvarint(r.b)
	r.pass(n)
	return x
}

func (r *reader) int() int64 {
	x, n := binary.Varint(r.b)
	r.pass(n)
	return x
}

// ints fills v.
func (r *reader) ints(v []int64) {
	for i := range v {
		v[i] = r.int()
	}
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	x := r.b[0]
	r.b = r.b[1:]
	return x
}

// bool returns what appendBool wrote.
func (r *reader) bool() bool {
	x := r.byte()
	if x > 1 {
		r.fail()
	}
	return x == 1
}

// size returns a number up to MaxLen.
func (r *reader) size() int {
	n := r.uint()
	if n > MaxLen {
		r.fail()
		return 0
	}
	return int(n)
}

// bytes returns a part of the state as it stands there, with its length before it.
func (r *reader) bytes() []byte {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// pass goes on by n bytes; n ≤ 0 says that there was no number.
func (r *reader) pass(n int) {
	if n <= 0 {
		r.fail()
		return
	}
	r.b = r.b[n:]
}

func (r *reader) fail() { r.b, r.bad = nil, true }

// end refuses a state that was bad or has more in it.
func (r *reader) end() error {
	if r.bad || len(r.b) > 0 {
		return fmt.Errorf("%w: damaged, or of another version than %d", ErrState, stateVersion)
	}
	return nil
}
