package site

import (
	"log/slog"
	"math"
	"math/bits"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/kept"
	"peerd.dev/node/ledger"
	document "peerd.dev/node/network"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// Config describes a Site.
type Config struct {
	Dir   string // of the store
	Store store.Options

	Membership
	Memberships Memberships // by document; nil if there are none

	Genesis  ledger.Genesis  // of the ledger; the incarnation is filled in
	Conceal  bool            // the ledger commits to releases, whose numbers only some may see
	Founding int             // how many of Arms the network began with; 0 for all of them
	Inputs   bandit.Inputs   // of a decision; zero unless the learner is contextual
	Names    *decision.Names // of features that asks give by name; nil for none
	Streams  int             // in the peer's statistic, by its cadence; not used for an idle peer
	Cadence  protocol.Cadence
	Horizon  uint64                           // rounds that the budget pays for
	World    func(Life) (bandit.World, error) // nil if an application chooses, and for an idle peer
	Rules    Rules
	Clock    node.Clock
	Rounds   uint64 // how long a World is played
	Pinned   []Pinned
	Settings []Pinned // which can change between two starts

	Keepers []Keeper            // of extras
	Tables  func(Source) Tables // nil for none

	// Alarm is called once, from another goroutine, when the site finds that a peer remembers
	// another past; may be nil.
	Alarm  func(error)
	Now    func() time.Time                     // nil for the clock
	Ahead  func() (by time.Duration, peers int) // how far the clock is ahead of the clocks of other peers, and of how many; nil if none is heard
	Coins  func() node.Seed                     // draws a secret; nil for the operating system's
	Logger *slog.Logger                         // nil discards
}

// A Keeper keeps something of an extra in the site's store: Save stores with each step what is new, and after Close it reads nothing.
type Keeper interface {
	Open(st *store.Store) error
	Save(b *store.Batch)
	Close()
}

// Transport carries a site's messages.
type Transport interface {
	node.Transport
	// Advance sets the checkpoint of the ledger that is sent before the next message.
	Advance(c protocol.Checkpoint)
}

// Pinned is a setting that a store keeps from its beginning.
type Pinned = document.Setting

// A Membership is what a site needs to know about the members of the network. Places are never
// reused, so peers are appended and never removed.
type Membership struct {
	Document   []byte                          // from which [Memberships] makes it again
	Peers      int                             // number of places in the network
	ID         func(protocol.Peer) string      // the first id of the peer in a place
	Name       func(id string) string          // of a peer, for people; nil for its id
	Gone       []string                        // first ids of peers that left permanently
	Neighbours []protocol.Peer                 // ascending
	Agent      func(Life) (*node.Agent, error) // with this membership
	Half       func(Life) (*kept.Half, error)  // nil, or for a half that is nil, if all decisions are given
	Arms       []string                        // names by place, empty for a place without an arm; none if the peer is idle; every membership has as many
	Absent     []bandit.Arm                    // places that are not chosen: without an arm, or with a retired one
}

// Memberships returns the membership of a document.
type Memberships func(document []byte) (Membership, error)

func (c *Config) shape() shape { return shape{len(c.Arms), c.Inputs.Dim(), c.Streams} }

// recordsPerLeaf returns the least number of ledger records that a closed leaf makes: one for
// each stream that closes with it.
func (c *Config) recordsPerLeaf() uint64 {
	if !c.Cadence.SynchronousLeaves() {
		return 1
	}
	return max(1, uint64(c.Streams)/max(1, c.Cadence.Lanes))
}

// mostRecords returns as many records as a life has that releases all that is
// paid for, and once more as many for each recovery, which jumps over no more numbers.
func (c *Config) mostRecords() uint64 {
	streams := uint64(c.Streams)
	over, life := bits.Mul64(streams, c.Cadence.Leaves(c.Horizon))
	life += streams + 1
	if over > 0 || life > math.MaxUint64/recoveries {
		return math.MaxUint64
	}
	return recoveries * life
}

// recoveries is how many times a site can recover before its ledger may have more than [Site.MostRecords].
const recoveries = 1 << 10

// neighbours returns the ids of the neighbours in the network file.
func (c *Config) neighbours() (ids []string) {
	for _, p := range c.Neighbours {
		ids = append(ids, c.ID(p))
	}
	return ids
}
