package spread

import (
	"fmt"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// Save writes a state, as [state.Save] does.
func Save(version byte, fields func(*state.Visitor)) protocol.State {
	return protocol.SavedInside(vouch.For(state.Save(version, fields)))
}

// Load reads a state, as [state.Load] does, with errors of [protocol.Protocol.Load].
func Load(saved protocol.State, version byte, fields func(*state.Visitor)) error {
	b, err := protocol.Inside(vouch.For(saved))
	if err != nil {
		return err
	}
	if err = state.Load(b, version, fields); err != nil {
		return fmt.Errorf("%w: %w", protocol.ErrState, err)
	}
	return nil
}

// VisitLabel visits a label.
func VisitLabel(v *state.Visitor, l *protocol.Label) {
	state.Number(v, &l.Origin)
	state.Number(v, &l.Incarnation)
	state.Number(v, &l.Stream)
	v.Uint(&l.Seq)
}

// VisitMessage visits a message, and nothing if there is none.
func VisitMessage(v *state.Visitor, m *protocol.Message) {
	var b []byte
	if !v.Loading() && m.Kind() != 0 {
		b = protocol.Encode(nil, *m)
	}
	if v.Bytes(&b); !v.Loading() {
		return
	}
	*m = protocol.NoMessage()
	if len(b) == 0 {
		return
	}
	read, err := protocol.Decode(vouch.For(b))
	if err != nil {
		v.Fail("%v", err)
		return
	}
	*m = read
}

// VisitRelease visits a release, and nothing if it is empty.
func VisitRelease(v *state.Visitor, x *dp.Release) {
	protocol.VisitRelease(vouch.For(v), x)
}

// VisitPart visits a part of the state that package dp saves.
func VisitPart(v *state.Visitor, save func() []byte, load func(vouch.Value[[]byte]) error) {
	v.Part(save, func(b []byte) error { return load(vouch.For(b)) })
}

// VisitFlags visits truth values as a list.
func VisitFlags(v *state.Visitor, flags ...*bool) {
	is := make([]bool, len(flags))
	for i, f := range flags {
		is[i] = *f
	}
	v.Bools(is)
	for i, f := range flags {
		*f = is[i]
	}
}

// VisitNeighbours visits the state of neighbours, by place. A load drops the state of peers that
// are not neighbours any more.
func VisitNeighbours[T any](v *state.Visitor, neighbours []protocol.Peer, of []T, visit func(*T)) {
	for i := range v.Len(len(of)) {
		var p protocol.Peer
		var x T
		if !v.Loading() {
			p, x = neighbours[i], of[i]
		}
		state.Number(v, &p)
		visit(&x)
		if place, ok := slices.BinarySearch(neighbours, p); ok && v.Loading() {
			of[place] = x
		}
	}
}
