package gossip

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

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

	// Lossless makes Send wait until there is room instead of dropping, and a
	// link that breaks the end of the host.
	Lossless bool
	// Topic connects to the network's topic, announces this peer on it and
	// takes messages to [protocol.Everyone].
	Topic bool

	// Marks has peers tell each other how far their ledgers are; both ends of a
	// link must want it. See [Host.Advance].
	Marks bool
	Mark  Mark   // this peer's, at the start
	Seen  []Mark // by peer: the highest mark known from earlier runs; may be nil
	// Told, if set, is called for every hello with the mark that the neighbour
	// remembers of this peer. If this peer's mark does not follow it, the link
	// does not come up.
	Told func(from protocol.Peer, m Mark)
	// Saw, if set, is called when a neighbour's mark is higher than known, one
	// call at a time for each neighbour. Told and Saw hold up the link and must
	// be quick.
	Saw func(of protocol.Peer, m Mark)

	// Tap, if set, sees every message frame that leaves, in the order in which
	// it is written to the link to a peer or, for [protocol.Everyone], to the
	// topic. It is called from one goroutine per link and must not change the
	// frame.
	Tap       func(to protocol.Peer, frame []byte)
	Logger    *slog.Logger // nil discards
	UserAgent string       // empty is "peerd"
}

// PeerInfo says who a peer is and where it listens.
type PeerInfo struct {
	ID    string
	Addrs []string // multiaddrs, with or without /p2p/ID at the end
}

// roster is a Config's parsed part.
type roster struct {
	listen []ma.Multiaddr
	peers  []peer.AddrInfo // by index
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
		info, err := p.parse()
		if err != nil {
			return r, fmt.Errorf("gossip: peer %d: %w", i, err)
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
	if c.Seen != nil && len(c.Seen) != len(r.peers) {
		return r, fmt.Errorf("gossip: marks of %d peers seen, want %d", len(c.Seen), len(r.peers))
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
		case n > c.Self && len(r.peers[n].Addrs) == 0:
			return r, fmt.Errorf("gossip: neighbour %d has no address to dial", n)
		}
	}
	return r, nil
}

func (p PeerInfo) parse() (peer.AddrInfo, error) {
	id, err := peer.Decode(p.ID)
	if err != nil {
		return peer.AddrInfo{}, fmt.Errorf("id %q: %w", p.ID, err)
	}
	info := peer.AddrInfo{ID: id}
	for _, s := range p.Addrs {
		a, err := ma.NewMultiaddr(s)
		if err != nil {
			return info, fmt.Errorf("address %q: %w", s, err)
		}
		transport, of := peer.SplitAddr(a)
		if of != "" && of != id {
			return info, fmt.Errorf("address %q is another peer's, want %s", s, id)
		}
		if transport == nil {
			return info, fmt.Errorf("address %q says nowhere to dial", s)
		}
		info.Addrs = append(info.Addrs, transport)
	}
	return info, nil
}

// checkNetwork keeps network ids to what can stand in a topic's name and before
// signed bytes without being mistaken for a part of them.
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
