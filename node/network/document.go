// Package network implements the network document: who the peers are, who talks to whom, and what
// all have agreed on. A document has a version. The next version follows from it by one [Change]
// and is valid when as many of its signers as it needs, more than half of them, have voted for it
// in one round; see docs/network.md.
//
// The package has no clock, socket or file: a [Book] merges what other peers' books show, and
// passes what it knows to a function that makes it durable before it is shown.
package network

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"peerd.dev/gossip/topology"
)

// ErrRefused is wrapped by errors about documents and changes that are against the rules.
var ErrRefused = errors.New("network document refused")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// Standing is the state of a peer's membership.
type Standing string

// The standings. A peer keeps its place permanently, so a place never gets another peer.
const (
	Present Standing = "present"
	Invited Standing = "invited" // has a place and a key made for the invitation, and has not joined
	Gone    Standing = "gone"    // left, or was removed, permanently
)

// A Peer is one place of a network.
type Peer struct {
	Name     string   `json:"name"`
	ID       string   `json:"id"`               // of its key
	Former   []string `json:"former,omitempty"` // ids that it had before
	Closed   []Closed `json:"closed,omitempty"` // what was signed under those that were replaced
	Token    string   `json:"token,omitempty"`  // id of its invitation's key, which others may know
	Addrs    []string `json:"addrs,omitempty"`
	Standing Standing `json:"standing"`
}

// A Ledger is how far a peer's ledger was at some time.
type Ledger struct {
	Records uint64 `json:"records"`
	Head    string `json:"head"` // hash of the last record, in hexadecimal digits
}

// A Closed is a former key with the ledger that its owner stated when it replaced the key. The key proves nothing about
// records after that.
type Closed struct {
	ID string `json:"id"`
	Ledger
}

// A Setting is one that all peers share, as in a configuration file.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Document is a network at one version.
type Document struct {
	Version  uint64    `json:"version"` // from 1
	Before   string    `json:"before"`  // hash of the version before; empty in the first
	Name     string    `json:"name"`
	Start    time.Time `json:"start"`             // of round 0
	Every    string    `json:"every"`             // length of a round, such as 10s
	Admins   []string  `json:"admins,omitempty"`  // names of the peers that sign; all peers if empty
	Needed   int       `json:"needed,omitempty"`  // how many of the admins have to sign; more than half if 0
	Peers    []Peer    `json:"peers"`             // by place
	Links    [][2]int  `json:"links"`             // by place; a link of an invited peer counts once the peer has joined
	Settings []Setting `json:"settings"`          // of the first version
	Changed  []Setting `json:"changed,omitempty"` // settings whose value is not the first one any more
	Added    []string  `json:"added,omitempty"`   // arms in addition to those in the settings, in their order
	Retired  []string  `json:"retired,omitempty"` // arms that are not chosen any more
}

// Hash returns the hash of the document, in hexadecimal digits.
func (d *Document) Hash() string {
	b, err := json.Marshal(d)
	if err != nil {
		panic("network: " + err.Error()) // only a time after the year 9999 cannot be encoded, which Check refuses
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Place returns the place of the peer with a name.
func (d *Document) Place(name string) (int, bool) {
	i := slices.IndexFunc(d.Peers, func(p Peer) bool { return p.Name == name })
	return i, i >= 0
}

// PlaceOf returns the place of the peer whose key has, or once had, an id.
func (d *Document) PlaceOf(id string) (place int, former, ok bool) {
	for i, p := range d.Peers {
		if p.ID == id {
			return i, p.Standing == Gone, true
		}
		if slices.Contains(p.Former, id) {
			return i, true, true
		}
	}
	return 0, false, false
}

// Signers returns the places of the peers of whom a quorum makes the next version valid: the admins
// or, without admins, all peers that are present.
func (d *Document) Signers() (places []int) {
	for i, p := range d.Peers {
		if p.Standing == Present && (len(d.Admins) == 0 || slices.Contains(d.Admins, p.Name)) {
			places = append(places, i)
		}
	}
	return places
}

// Quorum returns how many of the signers have to sign: more than half, or as many as the document
// says.
func (d *Document) Quorum() int { return max(d.Needed, len(d.Signers())/2+1) }

// Liars returns how many signers may lie without two valid documents of one version: fewer than
// any two quorums share.
func (d *Document) Liars() int { return 2*d.Quorum() - len(d.Signers()) - 1 }

// Edges returns the links between peers that are present.
func (d *Document) Edges() (edges [][2]int) {
	for _, l := range d.Links {
		if d.Peers[l[0]].Standing == Present && d.Peers[l[1]].Standing == Present {
			edges = append(edges, l)
		}
	}
	return edges
}

// Duration returns the length of a round; 0 if it is invalid, which Check refuses.
func (d *Document) Duration() time.Duration {
	every, _ := time.ParseDuration(d.Every) // 0 with an error
	return every
}

// clone returns a copy that shares no mutable data.
func (d *Document) clone() Document {
	c := *d
	c.Peers, c.Links, c.Admins = slices.Clone(d.Peers), slices.Clone(d.Links), slices.Clone(d.Admins)
	c.Added, c.Retired, c.Changed = slices.Clone(d.Added), slices.Clone(d.Retired), slices.Clone(d.Changed)
	for i := range c.Peers {
		c.Peers[i].Former, c.Peers[i].Closed, c.Peers[i].Addrs = slices.Clone(c.Peers[i].Former), slices.Clone(c.Peers[i].Closed), slices.Clone(c.Peers[i].Addrs)
	}
	return c
}

// maxPeers bounds the places of a network, including the places of gone peers.
const maxPeers = 10_000

var goodName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Check refuses a document that is against the rules.
func (d *Document) Check() error {
	every, err := time.ParseDuration(d.Every)
	switch {
	case !goodName.MatchString(d.Name):
		return refuse("name %.70q: want 1 to 64 letters, digits, dots, dashes and underscores", d.Name)
	case err != nil || every < time.Millisecond || every > 24*time.Hour:
		return refuse("every %.40q: want a duration from 1ms to 24h", d.Every)
	case d.Start.Year() < 2020 || d.Start.Year() > 9000 || d.Start.Location() != time.UTC:
		return refuse("start %v: want the time of round 0, in UTC", d.Start)
	case len(d.Peers) > maxPeers:
		return refuse("%d peers, at most %d", len(d.Peers), maxPeers)
	}
	ids, names := make(map[string]bool), make(map[string]bool)
	for _, p := range d.Peers {
		if !goodName.MatchString(p.Name) || names[p.Name] {
			return refuse("peer %.70q: want a name of 1 to 64 letters, digits, dots, dashes and underscores, which no peer has or had", p.Name)
		}
		if p.Standing != Present && p.Standing != Invited && p.Standing != Gone {
			return refuse("peer %s: standing %.40q", p.Name, p.Standing)
		}
		names[p.Name] = true
		for _, id := range append([]string{p.ID}, p.Former...) {
			if id == "" || ids[id] {
				return refuse("peer %s: id %.70q: want one that no peer has or had", p.Name, id)
			}
			ids[id] = true
		}
	}
	switch n := len(d.Signers()); {
	case n == 0:
		return refuse("no peer is left that could sign the next version")
	case d.Needed < 0 || d.Needed > n || len(d.Admins) == 0 && d.Needed > 0:
		return refuse("%d admins have to sign and %d would be left: change the admins first", d.Needed, n)
	}
	return d.checkLinks()
}

// checkLinks refuses links that leave peers who are present, or will be, disconnected, and links
// that no peer can open: of two neighbours the one with the lower place dials.
func (d *Document) checkLinks() error {
	g, err := topology.NewGraph(max(1, len(d.Peers)), d.Links)
	if err != nil {
		return refuse("links: %v", err)
	}
	for _, l := range g.Edges() {
		switch a, b := d.Peers[l[0]], d.Peers[l[1]]; {
		case a.Standing == Gone || b.Standing == Gone:
			return refuse("a link of %s and %s, of whom one is gone", a.Name, b.Name)
		case b.Standing == Present && len(b.Addrs) == 0:
			return refuse("%s has no address, and %s dials it", b.Name, a.Name)
		}
	}
	var now []int // reachable from the first peer that is present
	for i, p := range d.Peers {
		if p.Standing == Present {
			now = append(now, i)
		}
	}
	if reached := reach(len(d.Peers), d.Edges(), now[0]); len(reached) < len(now) {
		for _, i := range now {
			if !slices.Contains(reached, i) {
				return refuse("there is no way from %s to %s", d.Peers[now[0]].Name, d.Peers[i].Name)
			}
		}
	}
	return nil
}

// reach returns the places that can be reached from one.
func reach(n int, edges [][2]int, from int) (places []int) {
	seen := make([]bool, n)
	seen[from] = true
	places = []int{from}
	for todo := 0; todo < len(places); todo++ {
		for _, l := range edges {
			for _, side := range [2]int{0, 1} {
				if next := l[1-side]; l[side] == places[todo] && !seen[next] {
					seen[next] = true
					places = append(places, next)
				}
			}
		}
	}
	return places
}
