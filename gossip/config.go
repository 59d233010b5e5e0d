package gossip

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"peerd.dev/protocol"
)

// maxNetwork bounds the length of a network id.
const maxNetwork = 64

// Config describes a [Host].
type Config struct {
	Identity    Identity
	Listen      []string // TCP multiaddrs; port 0 takes a free one
	Self        protocol.Peer
	Incarnation uint32
	Peers       []PeerInfo // by index, this peer among them
	Neighbours  []protocol.Peer
	Network     string   // id of the network: up to 64 letters, digits, dots, dashes and underscores
	Policy      [32]byte // hash of what both ends of a link must agree on
	Terms       []Term   // the terms that Policy is the hash of, sent to a peer with another policy; may be nil

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
	Run         Run                         // of this process; if zero, the host draws one
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
	Tap       func(to protocol.Peer, frame []byte)
	Logger    *slog.Logger // nil discards
	UserAgent string       // empty is "peerd"

	wrong time.Duration // by how much the clock of a test is wrong
}

// formerIDs returns the parsed ids that peers had before, and the ids of peers that are absent.
func (c *Config) formerIDs() (ids []peer.ID, err error) {
	for _, p := range c.Peers {
		if p.Absent {
			id, err := peer.Decode(p.ID)
			if err != nil {
				return nil, fmt.Errorf("gossip: id %q: %w", p.ID, err)
			}
			ids = append(ids, id)
		}
		for _, s := range p.Former {
			id, err := peer.Decode(s)
			if err != nil {
				return nil, fmt.Errorf("gossip: former id %q: %w", s, err)
			}
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// A Closed is a key that a peer had before, and the peer's ledger when the key was replaced. The network agreed on
// that statement, so it is a memory of the peer that everyone has, and the key proves nothing any more.
type Closed struct {
	ID     string
	Ledger protocol.Checkpoint
}

// PeerInfo is a peer's id and the addresses on which it listens.
type PeerInfo struct {
	Name   string // for the log; its index if empty
	ID     string
	Addrs  []string // multiaddrs, with or without /p2p/ID at the end
	Former []string // ids that it had before: they may ask for the network document, and nothing else
	Closed []Closed // the ids in Former whose owner stated how far its ledger was, in the same order
	// Absent marks a place without an active peer: it may trade network documents, and nothing else.
	Absent bool
	// Gone marks an absent place whose peer left. It receives the network document, as former ids do, and what it
	// shows is not read.
	Gone bool
}

// roster holds the parsed addresses and peers of a Config.
type roster struct {
	listen []ma.Multiaddr
	peers  []peer.AddrInfo // by index
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
		case n > c.Self && len(c.Peers[n].Addrs) == 0:
			return r, fmt.Errorf("gossip: neighbour %d has no address to dial", n)
		}
	}
	return r, nil
}

// Limits of the addresses of a peer.
const (
	MaxAddrs   = 16
	MaxAddrLen = 256 // bytes
)

// Check returns why a network cannot have the peer: its id is none, it has too many addresses, or one
// cannot be dialled.
func (p PeerInfo) Check() error {
	_, unusable, err := p.parse()
	switch {
	case err != nil:
		return err
	case len(p.Addrs) > MaxAddrs:
		return fmt.Errorf("%d addresses, want at most %d", len(p.Addrs), MaxAddrs)
	case len(unusable) > 0:
		return unusable[0]
	}
	return nil
}

// PlainID returns one of the ways to write the id of a key; a text that is none as it is.
func PlainID(text string) string {
	id, err := peer.Decode(text)
	if err != nil {
		return text
	}
	return id.String()
}

// parse returns the peer with the addresses that can be dialled, and why others cannot.
func (p PeerInfo) parse() (info peer.AddrInfo, unusable []error, err error) {
	if info.ID, err = peer.Decode(p.ID); err != nil {
		return info, nil, fmt.Errorf("id %q: %w", p.ID, err)
	}
	for _, s := range p.Addrs {
		a, bad := dialled(s, info.ID)
		if bad != nil {
			unusable = append(unusable, bad)
			continue
		}
		info.Addrs = append(info.Addrs, a)
	}
	return info, unusable, nil
}

// dialled returns an address of a peer without the peer's id.
func dialled(s string, id peer.ID) (ma.Multiaddr, error) {
	if len(s) > MaxAddrLen {
		return nil, fmt.Errorf("address of %d bytes, want at most %d", len(s), MaxAddrLen)
	}
	a, err := ma.NewMultiaddr(s)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", s, err)
	}
	transport, of := peer.SplitAddr(a)
	switch {
	case of != "" && of != id:
		return nil, fmt.Errorf("address %q is another peer's, want %s", s, id)
	case transport == nil:
		return nil, fmt.Errorf("address %q has no transport address", s)
	}
	if err = reaches(transport); err != nil {
		return nil, fmt.Errorf("address %q: %w", s, err)
	}
	return transport, nil
}

// checkNetwork allows only network ids that cannot be ambiguous in a topic's name or in front of
// signed bytes.
func checkNetwork(s string) error {
	if s == "" || len(s) > maxNetwork {
		return fmt.Errorf("gossip: network id of %d bytes, want 1 to %d", len(s), maxNetwork)
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
