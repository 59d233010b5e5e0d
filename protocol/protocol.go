// Package protocol holds the protocols by which peers spread what they learn.
//
// A protocol is a deterministic state machine. It reads no clock, opens no
// socket, starts no goroutine and never sees a reward: of its own peer it knows
// which arms were pulled, which is public, and what a [dp.Door] releases. Whoever
// drives it supplies time as a round number and carries the messages of its
// [Outbox]; a daemon and a simulator differ in nothing else.
package protocol

import (
	"errors"
	"math/rand/v2"

	"peerd.dev/dp"
)

// Peer is a peer's place in the network file, from 0.
type Peer uint32

// Everyone addresses all peers, by publication.
const Everyone Peer = 1<<32 - 1

// Round is a peer's time, from 0.
type Round uint64

// Label names one thing that its origin sent. Labels carry no data: every field
// is an address or a counter.
type Label struct {
	Origin      Peer
	Incarnation uint32 // grows when the origin starts anew with nothing in memory
	Stream      dp.StreamID
	Seq         uint64
}

// ErrPeer is wrapped by errors that are a peer's fault.
var ErrPeer = errors.New("protocol: bad message")

// A Protocol is one peer's half of a protocol. It is not safe for concurrent
// use.
type Protocol interface {
	// Chosen says that this peer has chosen an arm. The reward may be known much
	// later, or never.
	Chosen(arm int)
	// Pulled says that the record of a choice of this arm, if there was one, is at
	// the door. An error is the door's and stops the peer.
	Pulled(arm int, out *Outbox) error
	// Tick ends round t, after the round's pull. An error is the door's and
	// stops the peer.
	Tick(t Round, out *Outbox) error
	// Receive takes in a message. An error wraps [ErrPeer]: the message is
	// dropped and has changed nothing.
	Receive(from Peer, m Message, out *Outbox) error
	// Belief returns what the peer may decide from. It is good until the next
	// call of any method.
	Belief() *Belief
	// Save returns the state, which holds nothing private: a Protocol made with the
	// same Config that Loads it goes on where this one stands.
	Save() ([]byte, error)
	// Load takes over a state. After an error the Protocol is of no use.
	Load(state []byte) error
}

// A Belief is what the network has learnt about the arms: floats for a learner,
// of which no Release can be made again. Package bandit describes the fields.
type Belief struct {
	Mean, Spread           []float64
	NoiseV, NoiseB, NoiseG []float64
	Pulls                  []uint64
	Behind                 []int
}

// Draw is a protocol's only view of its peer's rewards. A [dp.Door] satisfies it.
type Draw interface {
	// Leaf closes leaf k of stream s. It returns [dp.ErrHorizon] once the stream
	// has released all that was paid for.
	Leaf(s dp.StreamID, k uint64) (dp.Leaf, error)
}

// Keys signs for this peer and verifies for all.
type Keys interface {
	Sign(b []byte) []byte
	Verify(p Peer, b, sig []byte) bool
}

// Config is what every protocol is given.
type Config struct {
	Self        Peer
	Incarnation uint32
	Neighbours  []Peer // ascending
	Peers       int    // in the network
	Arms        int    // stream k is arm k's
	Draw        Draw
	Rand        *rand.Rand // for schedules; public in effect
	Keys        Keys
	Topic       bool // Outbox messages to Everyone reach all peers

	// Closed is how many leaves of every arm's stream earlier incarnations have
	// closed or given up; nil for none.
	Closed []uint64
}

// closed returns the leaves of an arm's stream that earlier incarnations closed.
func (c *Config) closed(arm int) uint64 {
	if c.Closed == nil {
		return 0
	}
	return c.Closed[arm]
}

func newBelief(arms int) Belief {
	b := Belief{
		Mean:   make([]float64, arms),
		Spread: make([]float64, arms),
		NoiseV: make([]float64, arms),
		NoiseB: make([]float64, arms),
		NoiseG: make([]float64, arms),
		Pulls:  make([]uint64, arms),
	}
	for k := range b.Spread {
		b.Spread[k] = inf
	}
	return b
}

// noise says how much of it the mean of arm k has.
func (b *Belief) noise(k int, s dp.Spread) { b.NoiseV[k], b.NoiseB[k], b.NoiseG[k] = s.V, s.B, s.G }
