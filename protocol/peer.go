package protocol

import (
	"cmp"
	"errors"

	"peerd.dev/dp"
)

// Peer is a peer's place in the network file, from 0.
type Peer uint32

// Everyone addresses all peers, by publication.
const Everyone Peer = 1<<32 - 1

// Round is a peer's time, from 0.
type Round uint64

// Label identifies one thing that its origin sent. Labels carry no data: every field is an address,
// a counter, or a hash of public values.
type Label struct {
	Origin      Peer
	Incarnation uint32 // grows when the origin starts again without its state
	Stream      dp.StreamID
	Seq         uint64
}

// ErrPeer is wrapped by errors that are a peer's fault.
var ErrPeer = errors.New("protocol: bad message")

// ErrState is wrapped by the errors of [Protocol.Load]: the state is damaged, another release's, or
// another configuration's.
var ErrState = errors.New("protocol: saved state does not fit")

// Newer reports whether a is later than b, a label of the same origin.
func Newer(a, b Label) bool {
	return cmp.Or(cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.Seq, b.Seq)) > 0
}
