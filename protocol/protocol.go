// Package protocol holds the protocols by which peers spread what they learn.
//
// A protocol is a deterministic state machine. It reads no clock, opens no socket, starts no
// goroutine and never sees a reward. It knows which parts of the statistic its own peer has chosen,
// which is public, and what the peer's streams have released. Its [Cadence], plain data, says when
// streams release. A driver supplies time as a round number and carries the messages of the
// [Outbox]; a daemon and a simulator differ in nothing else.
//
// This package has the contract: what a protocol is given and what it does, the messages and their
// form on the wire. Protocols are in packages averaging, rows, batches and epochs; package table
// lists them. Protocols of other modules implement [Params] and [Protocol].
package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
)

// Own is a closed leaf of one of this peer's streams.
type Own struct {
	Stream dp.StreamID
	Number uint64   // of the leaf, from 1
	Leaf   *dp.Leaf // its release; nil if Over. Valid as long as the slice that contains it
	Over   bool     // the horizon is reached: the stream released nothing and never will
	Held   bool     // a protocol around this one says that it is not worth a message yet; agents never do
}

// A Protocol is one peer's half of a protocol. It is not safe for concurrent use.
//
// In a round the methods are called in this order: Receive for everything that arrived;
// Chosen, at any time, for every choice; Released for the leaves that records close; at
// the end of the round Released for the leaves that the clock closes, then Tick.
type Protocol interface {
	// Chosen reports that this peer has chosen an arm that updates a part of the statistic. The
	// reward may be known much later, or never. With noised counts it reports, before Tick, what
	// the peer would choose in the round, whether it chose or not.
	Chosen(part int)
	// Released reports the releases of own leaves that have closed, in the order of streams. Leaves
	// that close together are reported together. The slice is valid until the method returns. An
	// error is this peer's own and stops it.
	Released(own []Own, out *Outbox) error
	// Tick ends round t. An error is this peer's own and stops it.
	Tick(t Round, out *Outbox) error
	// Receive processes a message. An error wraps [ErrPeer]: the message is dropped and has changed
	// nothing.
	Receive(from Peer, m Message, out *Outbox) error
	// Belief returns the estimates from which the peer may decide. It is valid until the next call
	// of any method.
	Belief() *belief.Belief
	// Save returns the state, which contains nothing private. A Protocol with the same Config that
	// loads it continues where this one stopped.
	Save() (State, error)
	// Load replaces the state by a saved one. An error wraps [ErrState]; the Protocol must not be used then.
	Load(saved State) error
}

// A Dependent is a [Protocol] that needs one peer, such as a coordinator.
type Dependent interface {
	// Lost returns that peer, and whether it has been silent for long enough that this peer
	// continues without it.
	Lost() (needed Peer, lost bool)
}

// Config is what [New] gives to every protocol.
type Config struct {
	Self         Peer
	Incarnation  uint32
	Graph        [][]Peer   // neighbours of every peer, ascending; published in the network file
	Parts        int        // of the statistic, equal at all peers; stream k is part k's, of the first lane
	Width        int        // numbers of a part's sum
	Charge       dp.Charge  // of the streams of every peer with arms
	NoisedCounts bool       // releases are of counted records: two sums a part, and no counts
	Press        Press      // makes messages; [New] sets it
	Topic        bool       // Outbox messages to Everyone reach all peers
	Reuse        bool       // no Message is kept for more than a Tick after the one that sent it; see [Message]
	Rand         *rand.Rand // for schedules; public in effect
	Secret       *rand.Rand // for values that must stay secret, such as a permutation
	Public       [32]byte   // seed that all peers of the network share

	// Keys are of the press: New takes them out. They are empty where nothing is signed.
	Keys vouch.Value[Keys]
}

// Neighbours returns the peers that this one is linked to, ascending.
func (c *Config) Neighbours() []Peer { return c.Graph[c.Self] }

// Peers returns how many peers the network has.
func (c *Config) Peers() int { return len(c.Graph) }

// Member reports whether a peer takes part: a place of the network that has no links belongs to a peer that has left,
// was removed, or has not joined yet. This peer itself takes part.
func (c *Config) Member(p Peer) bool { return p == c.Self || len(c.Graph[p]) > 0 }

// PublicRand returns random numbers that are equal at all peers, for one use in one epoch.
func (c *Config) PublicRand(use string, epoch uint64) *rand.Rand {
	return rand.New(rand.NewChaCha8(publicSeed(c.Public, use, epoch)))
}

func publicSeed(root [32]byte, use string, epoch uint64) [32]byte {
	b := append(root[:len(root):len(root)], use...)
	return sha256.Sum256(binary.BigEndian.AppendUint64(b, epoch))
}
