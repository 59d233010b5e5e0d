package site

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/dp"
)

// shape bounds what stored values speak of: the site's arms, the features of one that a learner takes, and the
// streams.
type shape struct{ arms, features, streams int }

func (c *Config) shape() shape { return shape{len(c.Arms), c.Inputs.Dim(), c.Streams} }

// reader takes values off the front of b until the first error.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errors.New("cut short, or not of this form")
	}
	r.b = nil
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// more counts up to n as long as there is no error.
func (r *reader) more(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if r.err != nil || !yield(i) {
				return
			}
		}
	}
}

// length reads how many parts follow, each of at least a byte.
func (r *reader) length() int {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) part() []byte { return r.take(r.length()) }

// below reads a number below a bound.
func (r *reader) below(bound int) int {
	n := r.uvarint()
	if n >= uint64(bound) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) arm(s shape) bandit.Arm { return bandit.Arm(r.below(s.arms)) }

func (r *reader) stream(s shape) dp.StreamID { return dp.StreamID(r.below(s.streams)) }

func (r *reader) reward() bandit.Reward { return bandit.Reward(math.Float64frombits(r.uint64())) }

// features reads the features of an arm: none, unless the site has some.
func (r *reader) features(s shape) (x bandit.Features) {
	if n := r.length(); n != s.features {
		r.fail()
	}
	if s.features > 0 && r.err == nil {
		x = make(bandit.Features, 0, min(s.features, len(r.b)/8))
	}
	for range r.more(s.features) {
		x = append(x, math.Float64frombits(r.uint64()))
	}
	return x
}

func appendFeatures(b []byte, x bandit.Features) []byte {
	b = binary.AppendUvarint(b, uint64(len(x)))
	for _, v := range x {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func appendReward(b []byte, x bandit.Reward) []byte {
	return binary.BigEndian.AppendUint64(b, math.Float64bits(float64(x)))
}

func appendPart[T []byte | string](b []byte, part T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

func flags(bits ...bool) (f byte) {
	for i, b := range bits {
		if b {
			f |= 1 << i
		}
	}
	return f
}
