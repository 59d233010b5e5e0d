package protocol

import (
	"errors"
	"fmt"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// ErrState is wrapped by the errors of Load: the state is damaged, another release's, or
// another configuration's.
var ErrState = errors.New("protocol: saved state does not fit")

// load reads a state, as [state.Load] does, with errors of [Protocol.Load].
func load(saved []byte, version byte, fields func(*state.Visitor)) error {
	if err := state.Load(saved, version, fields); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return nil
}

func visitLabel(v *state.Visitor, l *Label) {
	state.Number(v, &l.Origin)
	state.Number(v, &l.Incarnation)
	state.Number(v, &l.Stream)
	v.Uint(&l.Seq)
}

// visitMessage and visitRelease visit nothing where it is empty.
func visitMessage(v *state.Visitor, m *Message) {
	var b []byte
	if !v.Loading() && m.Kind() != 0 {
		b = Encode(nil, *m)
	}
	if v.Bytes(&b); !v.Loading() {
		return
	}
	*m = NoMessage()
	if len(b) == 0 {
		return
	}
	read, err := Decode(b)
	if err != nil {
		v.Fail("%v", err)
		return
	}
	*m = read
}

func visitRelease(v *state.Visitor, x *dp.Release) {
	var b []byte
	if !v.Loading() && !x.Empty() {
		b = AppendRelease(nil, *x)
	}
	if v.Bytes(&b); !v.Loading() {
		return
	}
	*x = dp.Release{}
	if len(b) > 0 {
		var err error
		if *x, err = ParseRelease(b); err != nil {
			v.Fail("%v", err)
		}
	}
}

// visitFlags visits truth values as a list.
func visitFlags(v *state.Visitor, flags ...*bool) {
	is := make([]bool, len(flags))
	for i, f := range flags {
		is[i] = *f
	}
	v.Bools(is)
	for i, f := range flags {
		*f = is[i]
	}
}

// visitNeighbours visits what a peer keeps of its neighbours, by place. What is loaded of a peer
// that is no neighbour any more is left out.
func visitNeighbours[T any](v *state.Visitor, neighbours []Peer, of []T, visit func(*T)) {
	for i := range v.Len(len(of)) {
		var p Peer
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
