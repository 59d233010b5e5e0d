package gossip

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/gossip/address"
	"peerd.dev/protocol"
)

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

// MaxAddrs is how many addresses a peer may have.
const MaxAddrs = 16

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

// parse returns the peer with the addresses that can be dialled, and why others cannot.
func (p PeerInfo) parse() (info peer.AddrInfo, unusable []error, err error) {
	if info.ID, err = peer.Decode(p.ID); err != nil {
		return info, nil, fmt.Errorf("id %q: %w", p.ID, err)
	}
	for _, s := range p.Addrs {
		a, bad := address.Dialled(s, info.ID)
		if bad != nil {
			unusable = append(unusable, bad)
			continue
		}
		info.Addrs = append(info.Addrs, a)
	}
	return info, unusable, nil
}

// stated returns the ledger that the peer stated when its key was last replaced.
func (p *PeerInfo) stated() protocol.Checkpoint {
	if n := len(p.Closed); n > 0 {
		return p.Closed[n-1].Ledger
	}
	return protocol.Checkpoint{}
}

// PlainID returns one of the ways to write the id of a key; a text that is none as it is.
func PlainID(text string) string {
	id, err := peer.Decode(text)
	if err != nil {
		return text
	}
	return id.String()
}
