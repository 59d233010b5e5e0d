package protocol

import (
	"bytes"
	"fmt"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
)

// A State is what a [Protocol] saves. It is immutable. The zero State belongs to a protocol that saves nothing.
type State struct {
	bytes    []byte
	releases []dp.Release
	inside   bool // of a protocol of this module, which reads releases from the bytes
}

// Saved returns the State of a protocol of another module: bytes of its own, and the releases that it keeps, because no
// program of another module makes a release of bytes.
func Saved(b []byte, releases ...dp.Release) State {
	return State{bytes: bytes.Clone(b), releases: slices.Clone(releases)}
}

// Bytes returns a copy of the bytes given to [Saved].
func (s State) Bytes() []byte {
	if s.inside {
		return nil
	}
	return bytes.Clone(s.bytes)
}

// Releases returns a copy of the releases given to [Saved], in the same order.
func (s State) Releases() []dp.Release { return slices.Clone(s.releases) }

// SavedInside returns the State of a protocol of this module, whose bytes contain releases. It keeps them.
func SavedInside(b vouch.Value[[]byte]) State { return State{bytes: b.Get(), inside: true} }

// Inside returns the bytes given to [SavedInside], which must not be changed. The error wraps [ErrState].
func Inside(s vouch.Value[State]) ([]byte, error) {
	if !s.Get().inside {
		return nil, fmt.Errorf("%w: a protocol of another module saved it", ErrState)
	}
	return s.Get().bytes, nil
}

// outside is the version of an encoded State of [Saved]. States of [SavedInside] are encoded as their bytes, which begin
// with a version from 1 on.
const outside = 0

// Encode returns the State as bytes.
func (s State) Encode() []byte {
	if s.inside {
		return bytes.Clone(s.bytes)
	}
	return state.Save(outside, s.fields)
}

// DecodeState returns the State that [State.Encode] encoded. The error wraps [ErrState].
func DecodeState(encoded vouch.Value[[]byte]) (s State, err error) {
	b := encoded.Get()
	if len(b) > 0 && b[0] != outside {
		return SavedInside(encoded), nil
	}
	if err = state.Load(b, outside, s.fields); err != nil {
		return State{}, fmt.Errorf("%w: %w", ErrState, err)
	}
	return s, nil
}

func (s *State) fields(v *state.Visitor) {
	v.Bytes(&s.bytes)
	state.List(v, &s.releases, func(r *dp.Release) { VisitRelease(vouch.For(v), r) })
}
