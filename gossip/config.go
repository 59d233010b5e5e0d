package gossip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// Config describes a [Host].
type Config struct {
	Identity    Identity
	Listen      []string // TCP multiaddrs; port 0 takes a free one
	Self        protocol.Peer
	Incarnation uint32
	Peers       []PeerInfo // by index, this peer among them
	Neighbours  []protocol.Peer
	Network     string      // id of the network: up to 64 letters, digits, dots, dashes and underscores
	Policy      [32]byte    // hash of what both ends of a link must agree on
	Terms       []wire.Term // the terms that Policy is the hash of, sent to a peer with another policy; may be nil

	// Document, if set, is shown to every peer that asks, also to peers with former ids.
	Document Document

	// Lossless makes Send wait for room instead of dropping messages, and makes the loss
	// of a link end the host.
	Lossless bool
	// Topic joins the network's topic, announces this peer on it and publishes messages
	// to [protocol.Everyone].
	Topic bool

	// Checkpoints makes peers exchange the checkpoints of their ledgers. It must be the
	// same at both ends of a link. See [Host.Advance].
	Checkpoints bool
	Run         wire.Run                    // of this process; if zero, the host draws one
	Checkpoint  protocol.Checkpoint         // this peer's, at the start
	Known       []protocol.SignedCheckpoint // by peer: the highest checkpoint from earlier runs; may be nil
	MostRecords uint64                      // more than any ledger of the network can have; 0 for no limit
	// Forks are, by peer, checkpoints that no single ledger contains, from earlier runs.
	Forks map[protocol.Peer][]protocol.SignedCheckpoint
	// OnFork, if set, is called once for each peer with what is to be kept as its Forks.
	OnFork func(of protocol.Peer, all []protocol.SignedCheckpoint)
	// Holds, if set, reports whether this peer's ledger contains a checkpoint that another peer remembers, or has
	// accepted its loss. Without it only checkpoints of the present length or more are compared.
	Holds func(from protocol.Peer, c protocol.Checkpoint) bool
	// OnRemembered, if set, is called for every hello with the checkpoint that the neighbour
	// remembers of this peer, and whether this peer has signed it. If this peer's checkpoint does
	// not follow it, the link does not come up; it is signed then.
	OnRemembered func(from protocol.Peer, c protocol.Checkpoint, signed bool)
	// OnMemory, if set, is called with a checkpoint of this peer that a peer has shown with this peer's signature. The other
	// peer need not be a neighbour.
	OnMemory func(from protocol.Peer, c protocol.Checkpoint)
	// OnRival, if set, is called when a neighbour is connected with another process that has this
	// peer's key. The link stays down while the other process is connected.
	OnRival func(from protocol.Peer)
	// OnCheckpoint, if set, is called when a neighbour's checkpoint is higher than the
	// known one, never concurrently for one neighbour. The link waits for OnRemembered
	// and OnCheckpoint, so they must return quickly.
	OnCheckpoint func(of protocol.Peer, c protocol.SignedCheckpoint)
	Services     []Service // of extras

	// Tap, if set, is called with every message frame that leaves, in the order in which
	// it is written to the link to a peer or, for [protocol.Everyone], to the topic. It
	// is called from one goroutine per link and must not change the frame.
	Tap    func(to protocol.Peer, frame []byte)
	Logger *slog.Logger // nil discards

	wrong time.Duration // by how much the clock of a test is wrong
}

// roster holds the parsed addresses and peers of a Config.
type roster struct {
	listen []ma.Multiaddr
	peers  []peer.AddrInfo // by index
	former []peer.ID       // ids that peers had before, and ids of absent peers
	// unusable says which addresses are left out. An address that cannot be used is a notice and ends no
	// host: a network document can be older than the check that refuses it.
	unusable []error
}

func (c *Config) check() (roster, error) {
	var r roster
	if err := checkNetwork(c.Network); err != nil {
		return r, err
	}
	if c.Lossless && c.Topic {
		return r, errors.New("gossip: a topic loses messages and so does not go with lossless")
	}
	for _, s := range c.Listen {
		a, err := ma.NewMultiaddr(s)
		if err != nil {
			return r, fmt.Errorf("gossip: listen address %q: %w", s, err)
		}
		r.listen = append(r.listen, a)
	}
	seen := make(map[peer.ID]int)
	for i, p := range c.Peers {
		info, unusable, err := p.parse()
		if err != nil {
			return r, fmt.Errorf("gossip: peer %d: %w", i, err)
		}
		for _, why := range unusable {
			r.unusable = append(r.unusable, fmt.Errorf("peer %d: %w", i, why))
		}
		if j, ok := seen[info.ID]; ok {
			return r, fmt.Errorf("gossip: peers %d and %d have the same id %s", j, i, info.ID)
		}
		seen[info.ID] = i
		r.peers = append(r.peers, info)
		if p.Absent {
			r.former = append(r.former, info.ID)
		}
		for _, s := range p.Former {
			id, err := peer.Decode(s)
			if err != nil {
				return r, fmt.Errorf("gossip: former id %q: %w", s, err)
			}
			r.former = append(r.former, id)
		}
	}
	if int64(c.Self) >= int64(len(r.peers)) {
		return r, fmt.Errorf("gossip: this is peer %d of %d", c.Self, len(r.peers))
	}
	if c.Known != nil && len(c.Known) != len(r.peers) {
		return r, fmt.Errorf("gossip: checkpoints of %d peers, want %d", len(c.Known), len(r.peers))
	}
	if r.peers[c.Self].ID != c.Identity.id {
		return r, fmt.Errorf("gossip: the identity is %s, but peer %d is %s", c.Identity.id, c.Self, r.peers[c.Self].ID)
	}
	for i, n := range c.Neighbours {
		switch {
		case int64(n) >= int64(len(r.peers)):
			return r, fmt.Errorf("gossip: neighbour %d of %d peers", n, len(r.peers))
		case n == c.Self:
			return r, fmt.Errorf("gossip: peer %d is its own neighbour", n)
		case slices.Contains(c.Neighbours[:i], n):
			return r, fmt.Errorf("gossip: neighbour %d is named twice", n)
		}
	}
	return r, nil
}

// dials reports whether this end dials a neighbour: of two with addresses the one with the lower index does, else the one without.
func (c *Config) dials(n protocol.Peer) bool {
	return len(c.Peers[n].Addrs) > 0 && (c.Self < n || len(c.Peers[c.Self].Addrs) == 0)
}

// checkNetwork allows only network ids that cannot be ambiguous in a topic's name or in front of
// signed bytes.
func checkNetwork(s string) error {
	if s == "" || len(s) > wire.MaxNetwork {
		return fmt.Errorf("gossip: network id of %d bytes, want 1 to %d", len(s), wire.MaxNetwork)
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '-', c == '_':
		default:
			return fmt.Errorf("gossip: network id %q: want letters, digits, dots, dashes and underscores", s)
		}
	}
	return nil
}

// A Document is what a peer holds of the network document. The peer shows it to every peer that
// was ever in the network. Its methods are called concurrently.
type Document interface {
	// Summary returns what it holds, in short: up to 512 KiB, and nothing if it holds nothing yet.
	Summary() ([]byte, error)
	// Lacks returns what a peer with a summary lacks, in frames of 1 byte to 64 KiB. No frame needs a later one.
	Lacks(summary []byte) ([][]byte, error)
	// Merge adds frames of another peer.
	Merge(frames [][]byte) error
}

// ErrDocument is wrapped by errors of a [Document] that are the fault of the peer that showed it. They are counted
// and logged with that peer's name.
var ErrDocument = errors.New("network document refused")

// A Lie is an error of [Document.Merge] that is the fault of the peer that has signed what another one showed. It is counted and
// logged with the name of the signer, and the exchange goes on.
type Lie struct {
	Of  protocol.Peer
	Err error
}

func (l *Lie) Error() string { return l.Err.Error() }

// A Service is a protocol of an extra, by which peers ask each other on streams of their own. Only a host with [Config.Checkpoints] has it.
type Service struct {
	ID string
	// Answer answers a peer that has a part in the network. An error that wraps [wire.ErrViolation] accuses that peer.
	Answer func(h *Host, s io.ReadWriter, from protocol.Peer) error
	// Run, if set, runs until ctx is done.
	Run func(ctx context.Context, h *Host)
}
