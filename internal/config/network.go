package config

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"peerd.dev/gossip"
	"peerd.dev/gossip/address"
	"peerd.dev/gossip/topology"
	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// A Network is the content of a network file: who the peers are, who talks to whom and when. A
// peer's index is its place in Peers.
type Network struct {
	Name  string        `yaml:"name"`
	Start time.Time     `yaml:"start"` // of round 0
	Every time.Duration `yaml:"every"`
	Peers []Member      `yaml:"peers"`
	Links [][2]int      `yaml:"links,flow"`

	// Only of a signed document.
	Version  uint64            `yaml:"-"` // 0 for a file that is not signed
	First    string            `yaml:"-"` // hash of the first version
	Document *network.Document `yaml:"-"` // nil for a file that is not signed
	Settings []network.Setting `yaml:"-"` // that all share, in the first version
	Changed  []network.Setting `yaml:"-"` // those that have other values now
	Added    []string          `yaml:"-"` // actions in addition to those in the settings
	Retired  []string          `yaml:"-"` // actions that are not chosen any more
}

// A Member is one peer of a network.
type Member struct {
	Name  string   `yaml:"name"`
	ID    string   `yaml:"id"`
	Addrs []string `yaml:"addrs,flow"`

	Standing network.Standing `yaml:"-"` // in a signed document; empty for present
	Former   []string         `yaml:"-"` // ids that it had before
	Closed   []network.Closed `yaml:"-"` // its replaced keys, and how far the ledger was with each
}

// Index returns the place of the peer with an id.
func (n *Network) Index(id string) (protocol.Peer, bool) {
	i := slices.IndexFunc(n.Peers, func(m Member) bool { return m.ID == id })
	return protocol.Peer(max(i, 0)), i >= 0
}

// IDs returns the peers' ids by index.
func (n *Network) IDs() []string {
	ids := make([]string, len(n.Peers))
	for i, m := range n.Peers {
		ids[i] = m.ID
	}
	return ids
}

// closed returns replaced keys in the form of package gossip.
func closed(all []network.Closed) (keys []gossip.Closed) {
	for _, x := range all {
		key := gossip.Closed{ID: x.ID, Ledger: protocol.Checkpoint{Records: x.Records}}
		_, _ = hex.Decode(key.Ledger.Head[:], []byte(x.Head)) // a document with another form is refused
		keys = append(keys, key)
	}
	return keys
}

// Infos returns the peers in the form of package gossip, by index.
func (n *Network) Infos() []gossip.PeerInfo {
	infos := make([]gossip.PeerInfo, len(n.Peers))
	for i, m := range n.Peers {
		infos[i] = gossip.PeerInfo{Name: m.Name, ID: m.ID, Addrs: m.Addrs, Former: m.Former, Closed: closed(m.Closed), Absent: m.Absent(), Gone: m.Standing == network.Gone}
	}
	return infos
}

// Validate returns everything that is wrong with n, in the order of the file.
func (n *Network) Validate() []Problem {
	var all refusals
	all.refuse(!regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`).MatchString(n.Name), "name", n.Name,
		"1 to 64 letters, digits, dots, dashes and underscores")
	all.refuse(n.Start.IsZero(), "start", n.Start.Format(time.RFC3339), "the time of round 0, such as 2026-01-02T15:04:05Z")
	all.refuse(n.Every < time.Millisecond || n.Every > 24*time.Hour, "every", n.Every, "a duration from 1ms to 24h")
	all.refuse(len(n.Peers) < 2, "peers", len(n.Peers), "at least 2")
	return append(append(all, n.ValidatePeers()...), n.validateLinks()...)
}

// refusals are what is wrong with a network.
type refusals []Problem

// refuse adds a value that is bad, and what is wanted.
func (all *refusals) refuse(bad bool, key string, value any, want string) {
	if bad {
		*all = append(*all, Problem{Key: key, Value: Short(ValueText(value)), Reason: "want " + want})
	}
}

// ValidatePeers returns what is wrong with the peers.
func (n *Network) ValidatePeers() []Problem {
	var all refusals
	names, ids := make(map[string]bool), make(map[string]bool)
	for i, m := range n.Peers {
		at := fmt.Sprintf("peers[%d].", i)
		why := nameTrouble(m.Name)
		all.refuse(why != "", at+"name", m.Name, "a name; this one "+why)
		name, id := norm.NFC.String(m.Name), gossip.PlainID(m.ID)
		all.refuse(names[name], at+"name", m.Name, "another name than the peers before")
		_, err := gossip.NewKeyring("any", []string{m.ID})
		all.refuse(err != nil, at+"id", m.ID, "what `peerd id` prints at that peer")
		all.refuse(ids[id], at+"id", m.ID, "another id than the peers before")
		names[name], ids[id] = true, true
		for _, a := range m.Addrs {
			if why := address.Check(a); why != nil {
				all = append(all, Problem{Key: at + "addrs", Value: Short(a), Reason: "want an address to dial; " + why.Error()})
			}
		}
		if why := (gossip.PeerInfo{ID: m.ID, Addrs: m.Addrs}).Check(); why != nil && err == nil && !named(all, at+"addrs") {
			all = append(all, Problem{Key: at + "addrs", Value: Short(ValueText(m.Addrs)), Reason: why.Error()})
		}
	}
	return all
}

// validateLinks refuses links that do not make a connected graph, and links that no peer can
// open: one of two neighbours has to have an address.
func (n *Network) validateLinks() []Problem {
	g, err := topology.NewGraph(max(1, len(n.Peers)), n.Links)
	if err != nil {
		return []Problem{{Key: "links", Value: Short(ValueText(n.Links)), Reason: strings.TrimPrefix(err.Error(), "topology: ")}}
	}
	var all refusals
	all.refuse(!g.Connected(), "links", n.Links, "a way from every peer to every other")
	for _, l := range g.Edges() {
		a, b := n.Peers[l[0]].Addrs, n.Peers[l[1]].Addrs
		all.refuse(len(a)+len(b) == 0, fmt.Sprintf("peers[%d].addrs", l[1]), b, fmt.Sprintf("an address here or at peer %d, since one of two neighbours dials the other", l[0]))
	}
	return slices.CompactFunc(all, func(a, b Problem) bool { return a.Key == b.Key })
}

// Absent reports whether the place has no active peer.
func (m *Member) Absent() bool { return m.Standing == network.Gone || m.Standing == network.Invited }

// FirstID returns the first id that the place had, by which others remember it.
func (m *Member) FirstID() string {
	if len(m.Former) > 0 {
		return m.Former[0]
	}
	return m.ID
}

// Neighbours returns the neighbours of each of n peers, ascending.
func Neighbours(n int, links [][2]int) [][]protocol.Peer {
	all := make([][]protocol.Peer, n)
	for _, l := range links {
		all[l[0]] = append(all[l[0]], protocol.Peer(l[1]))
		all[l[1]] = append(all[l[1]], protocol.Peer(l[0]))
	}
	for i := range all {
		slices.Sort(all[i])
	}
	return all
}
