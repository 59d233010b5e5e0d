package dp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"peerd.dev/dp/mechanism"
	"peerd.dev/internal/vouch"
)

// StreamID numbers a stream of a node's published stream table, from 0.
type StreamID uint32

// A Release is a vector that may be shown to anyone: it came through a [Curator] with its noise,
// or was made only of Releases. Its numbers are value·2^exponent with int64 values, so that no
// float takes part between a record and the wire. A Release is immutable; the zero Release is
// empty.
type Release struct {
	stream StreamID
	span   Span
	count  []uint64 // public numbers of records; nil when there are none
	v      []int64
	e      int8
	noise  Noise // in every entry of v
}

// Limits of what [Received] accepts. Two values within MaxValue can be subtracted without
// overflow, so no peer can make arithmetic fail by its claims.
const (
	MaxLen      = 1 << 13
	MaxValue    = mechanism.MaxValue
	maxExponent = 64
)

// ErrMalformed is wrapped by the errors of [Received].
var ErrMalformed = errors.New("dp: malformed release")

// ErrShape is returned by operations on Releases that do not fit together.
var ErrShape = errors.New("dp: releases of different shape")

// ErrOverflow is returned when a sum leaves the range of ±[MaxValue].
var ErrOverflow = errors.New("dp: sum out of range")

// Stream returns the stream that the Release belongs to.
func (r *Release) Stream() StreamID { return r.stream }

// Span returns the leaves that the Release covers.
func (r *Release) Span() Span { return r.span }

// Len returns the length of the vector.
func (r *Release) Len() int { return len(r.v) }

// Value returns entry i of the vector in units of 2^Exponent.
func (r *Release) Value(i int) int64 { return r.v[i] }

// Exponent returns the binary exponent of the lattice.
func (r *Release) Exponent() int8 { return r.e }

// Counts returns how many counts the Release has.
func (r *Release) Counts() int { return len(r.count) }

// Count returns count i.
func (r *Release) Count(i int) uint64 { return r.count[i] }

// Noise returns the noise in every entry.
func (r *Release) Noise() Noise { return r.noise }

// Empty reports whether r has neither values nor counts.
func (r *Release) Empty() bool { return len(r.v) == 0 && len(r.count) == 0 }

// At returns entry i as a float, for learners and reports. Nothing turns it back into a Release.
func (r *Release) At(i int) float64 { return float64(r.v[i]) * unit(r.e) }

// NoiseMoments returns the noise in every entry in the form with which learners compute.
func (r *Release) NoiseMoments() NoiseMoments { return r.noise.Moments(unit(r.e)) }

// unit returns 2^e for e within ±maxExponent, which math.Ldexp does much slower.
func unit(e int8) float64 { return math.Float64frombits(uint64(1023+int(e)) << 52) }

// CopyTo makes to a copy of r, in to's memory, which no other Release may share. It is for the
// messages that package protocol reuses.
func (r *Release) CopyTo(to vouch.Value[*Release]) {
	Remake(to, Fields{r.stream, r.span, r.count, r.v, r.e, r.noise})
}

// Remake makes to a Release with fields, in to's memory, which no other Release may share. It is for what is made of other
// Releases, and checks nothing.
func Remake(to vouch.Value[*Release], f Fields) {
	r := to.Get()
	r.stream, r.span, r.e, r.noise = f.Stream, f.Span, f.Exponent, f.Noise
	r.count, r.v = append(r.count[:0], f.Count...), append(r.v[:0], f.Value...)
}

// Equal reports whether both Releases are the same in every field.
func (r Release) Equal(o Release) bool {
	return r.stream == o.stream && r.span == o.span && r.e == o.e && r.noise == o.noise &&
		slices.Equal(r.count, o.count) && slices.Equal(r.v, o.v)
}

// Fields are the contents of a Release, as on the wire.
type Fields struct {
	Stream   StreamID
	Span     Span
	Count    []uint64
	Value    []int64
	Exponent int8
	Noise    Noise
}

// Fields returns a copy of the contents of the Release.
func (r *Release) Fields() Fields {
	return Fields{r.stream, r.span, slices.Clone(r.count), slices.Clone(r.v), r.e, r.noise}
}

// Received makes a Release of a copy of what a peer sent. It is only for the codec of package
// protocol: no other module can call it.
func Received(sent vouch.Value[Fields]) (Release, error) {
	f := sent.Get()
	switch {
	case len(f.Value) > MaxLen || len(f.Count) > MaxLen:
		return Release{}, fmt.Errorf("%w: %d values and %d counts, at most %d each", ErrMalformed, len(f.Value), len(f.Count), MaxLen)
	case f.Span.From > f.Span.To:
		return Release{}, fmt.Errorf("%w: span from %d to %d", ErrMalformed, f.Span.From, f.Span.To)
	case f.Exponent > maxExponent || f.Exponent < -maxExponent:
		return Release{}, fmt.Errorf("%w: exponent %d, at most %d either way", ErrMalformed, f.Exponent, maxExponent)
	}
	if err := f.Noise.Check(); err != nil {
		return Release{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	for i, v := range f.Value {
		if v > MaxValue || v < -MaxValue {
			return Release{}, fmt.Errorf("%w: value %d is %d, at most %d either way", ErrMalformed, i, v, int64(MaxValue))
		}
	}
	// Unlike slices.Clone this lets the codec keep the numbers of f on its stack.
	count, value := append([]uint64(nil), f.Count...), append([]int64(nil), f.Value...)
	return Release{f.Stream, f.Span, count, value, f.Exponent, f.Noise}, nil
}
