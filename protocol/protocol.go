// Package protocol holds the protocols by which peers spread what they learn.
//
// A protocol is a deterministic state machine. It reads no clock, opens no
// socket, starts no goroutine and never sees a reward: of its own peer it knows
// which parts of the statistic were chosen, which is public, and what its streams
// released. When they do is its [Cadence], which is data. Whoever drives the protocol
// supplies time as a round number and carries the messages of its [Outbox]; a daemon and
// a simulator differ in nothing else.
//
// A protocol is a file here and a line of [table.Table].
package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

// Peer is a peer's place in the network file, from 0.
type Peer uint32

// Everyone addresses all peers, by publication.
const Everyone Peer = 1<<32 - 1

// Round is a peer's time, from 0.
type Round uint64

// Label names one thing that its origin sent. Labels carry no data: every field
// is an address, a counter, or a hash of what others may see.
type Label struct {
	Origin      Peer
	Incarnation uint32 // grows when the origin starts anew with nothing in memory
	Stream      dp.StreamID
	Seq         uint64
}

// ErrPeer is wrapped by errors that are a peer's fault.
var ErrPeer = errors.New("protocol: bad message")

// ErrState is wrapped by the errors of [Protocol.Load]: the state is damaged, another release's, or
// another configuration's.
var ErrState = errors.New("protocol: saved state does not fit")

// Own is a leaf of an own stream that has closed.
type Own struct {
	Stream dp.StreamID
	Number uint64   // of the leaf, from 1
	Leaf   *dp.Leaf // what it released; nil if Over. It is good as long as the slice that it comes in
	Over   bool     // the horizon is reached: the stream released nothing and never will
	Held   bool     // raw records say that it is worth no message yet; see [Raw]
}

// A Protocol is one peer's half of a protocol. It is not safe for concurrent use.
//
// In a round the methods are called in this order: Receive for everything that arrived;
// Chosen, at any time, for every choice; Released for the leaves that records close; at
// the end of the round Released for the leaves that the clock closes, then Tick.
type Protocol interface {
	// Chosen says that this peer has chosen an arm that updates a part of the statistic.
	// The reward may be known much later, or never. With noised counts it says, before Tick,
	// what the peer would choose in the round, whether it did or not.
	Chosen(part int)
	// Released says what leaves of own streams released as they closed, in the order of
	// streams. Leaves that close together come together. The slice is good until the
	// method returns. An error is this peer's own and stops it.
	Released(own []Own, out *Outbox) error
	// Tick ends round t. An error is this peer's own and stops it.
	Tick(t Round, out *Outbox) error
	// Receive takes in a message. An error wraps [ErrPeer]: the message is
	// dropped and has changed nothing.
	Receive(from Peer, m Message, out *Outbox) error
	// Belief returns what the peer may decide from. It is good until the next
	// call of any method.
	Belief() *belief.Belief
	// Save returns the state, which holds nothing private: a Protocol made with the
	// same Config that Loads it goes on where this one stands.
	Save() ([]byte, error)
	// Load takes over a state. After an error the Protocol is of no use.
	Load(state []byte) error
}

// A Dependent is a [Protocol] that needs one peer, such as a coordinator.
type Dependent interface {
	// Lost returns that peer, and whether it has not answered for so long that this one goes on
	// without it.
	Lost() (needed Peer, lost bool)
}

// Keys signs for this peer and verifies for all.
type Keys interface {
	Sign(b []byte) []byte
	Verify(p Peer, b, sig []byte) bool
}

// Config is what every protocol is given.
type Config struct {
	Self         Peer
	Incarnation  uint32
	Graph        [][]Peer   // neighbours of every peer, ascending; published in the network file
	Parts        int        // of everybody's statistic; stream k is part k's, of the first lane
	Width        int        // numbers of a part's sum
	Charge       dp.Charge  // of the streams of every peer with arms
	NoisedCounts bool       // releases are of counted records: two sums a part, and no counts
	Keys         Keys       // nil where nothing is signed
	Press        Press      // makes messages; [New] sets it
	Topic        bool       // Outbox messages to Everyone reach all peers
	Reuse        bool       // no Message is kept for more than a Tick after the one that sent it; see [Message]
	Rand         *rand.Rand // for schedules; public in effect
	Secret       *rand.Rand // for what must not be known outside of this peer, such as a permutation
	Public       [32]byte   // seed that all peers of the network share
}

// Neighbours returns the peers that this one is linked to, ascending.
func (c *Config) Neighbours() []Peer { return c.Graph[c.Self] }

// Peers returns how many peers the network has.
func (c *Config) Peers() int { return len(c.Graph) }

// PublicRand returns random numbers that are the same at all peers, for one use in one
// epoch.
func (c *Config) PublicRand(use string, epoch uint64) *rand.Rand {
	return rand.New(rand.NewChaCha8(publicSeed(c.Public, use, epoch)))
}

func publicSeed(root [32]byte, use string, epoch uint64) [32]byte {
	b := append(root[:len(root):len(root)], use...)
	return sha256.Sum256(binary.BigEndian.AppendUint64(b, epoch))
}
