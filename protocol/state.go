package protocol

import (
	"errors"
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// ErrState is wrapped by the errors of Load: the state is damaged, another release's, or
// another configuration's.
var ErrState = errors.New("protocol: saved state does not fit")

// ended returns what is wrong with a state that has been read.
func ended(r *state.Reader) error {
	if err := r.End(); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return nil
}

func writeLabel(w *state.Writer, l Label) {
	for _, x := range []uint64{uint64(l.Origin), uint64(l.Incarnation), uint64(l.Stream), l.Seq} {
		w.Uint(x)
	}
}

func readLabel(r *state.Reader) Label {
	return Label{Peer(r.Uint()), uint32(r.Uint()), dp.StreamID(r.Uint()), r.Uint()}
}

// writeMessage and writeRelease write nothing of what is empty.
func writeMessage(w *state.Writer, m *Message) {
	if m.kind == 0 {
		w.Bytes(nil)
		return
	}
	w.Bytes(Encode(nil, *m))
}

func readMessage(r *state.Reader) Message {
	m := noMessage()
	if b := r.Bytes(); len(b) > 0 {
		var err error
		if m, err = Decode(b); err != nil {
			r.Fail("%v", err)
			return noMessage()
		}
	}
	return m
}

func writeRelease(w *state.Writer, x dp.Release) {
	if x.Empty() {
		w.Bytes(nil)
		return
	}
	w.Bytes(AppendRelease(nil, x))
}

func readRelease(r *state.Reader) (x dp.Release) {
	if b := r.Bytes(); len(b) > 0 {
		var err error
		if x, err = ParseRelease(b); err != nil {
			r.Fail("%v", err)
		}
	}
	return x
}
