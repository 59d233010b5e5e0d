// Package network implements the network document: who the peers are, who talks to whom, and what all have agreed on. Its first version
// is a [Document]. Each later [Version] is one [Change], signed by signers, with the hash of the version before. What concerns one place
// alone, its addresses, its key and its leaving, is in a [Record] that the place signs itself. docs/network.md describes both, and
// docs/proofs/document.md what follows.
//
// The package has no clock, socket or file: a [Book] merges what other peers' books hold, and passes what it knows to a function that makes
// it durable before it is shown.
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

// ErrRefused is wrapped by errors about documents, changes and records that are against the rules.
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

// A Signer is a peer that signs versions, with the key for them.
type Signer struct {
	Name string `json:"name"`
	ID   string `json:"id"`
}

// A Document is a network at one version, with what the places have said of themselves.
type Document struct {
	Network  string    `json:"network,omitempty"` // hash of the first document; empty in that one
	Version  uint64    `json:"version"`           // from 1
	Name     string    `json:"name"`
	Start    time.Time `json:"start"`             // of round 0
	Every    string    `json:"every"`             // length of a round, such as 10s
	Signers  []Signer  `json:"signers"`           // in the order of their places
	Needed   int       `json:"needed,omitempty"`  // how many of the signers have to sign; more than half if 0
	Peers    []Peer    `json:"peers"`             // by place
	Links    [][2]int  `json:"links"`             // by place; see [Document.Edges]
	Settings []Setting `json:"settings"`          // of the first version
	Changed  []Setting `json:"changed,omitempty"` // settings whose value is not the first one any more
	Added    []string  `json:"added,omitempty"`   // arms in addition to those in the settings, in their order
	Retired  []string  `json:"retired,omitempty"` // arms that are not chosen any more
}

// hashOf returns the SHA-256 of bytes, in hexadecimal digits.
func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// encode returns x as text, of which there is one for each value.
func encode(x any) []byte {
	b, err := json.Marshal(x)
	if err != nil {
		panic("network: " + err.Error()) // what was checked can be encoded
	}
	return b
}

// Hash returns the hash of the document, in hexadecimal digits.
func (d *Document) Hash() string { return hashOf(encode(d)) }

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

// Quorum returns how many of the signers have to sign.
func (d *Document) Quorum() int {
	if d.Needed > 0 {
		return d.Needed
	}
	return len(d.Signers)/2 + 1
}

// SignerAt returns the signer at a place, or nil.
func (d *Document) SignerAt(place int) *Signer {
	if place < 0 || place >= len(d.Peers) {
		return nil
	}
	i := slices.IndexFunc(d.Signers, func(s Signer) bool { return s.Name == d.Peers[place].Name })
	if i < 0 {
		return nil
	}
	return &d.Signers[i]
}

// signers returns the names of the signers, by place.
func (d *Document) signers() (names []string) {
	for _, s := range d.Signers {
		names = append(names, s.Name)
	}
	return names
}

// Edges returns the links between peers that are present. If these would not connect them all, each of the other peers is replaced in turn,
// by place, by a circle of its neighbours. A link of two peers without addresses, which neither can dial, is none if the others connect them all.
func (d *Document) Edges() [][2]int {
	present := func(i int) bool { return d.Peers[i].Standing == Present }
	edges := slices.DeleteFunc(slices.Clone(d.Links), func(l [2]int) bool { return !present(l[0]) || !present(l[1]) })
	if !d.connected(edges, present) {
		edges = slices.Clone(d.Links)
		for i := range d.Peers {
			if !present(i) {
				edges = without(edges, i)
			}
		}
	}
	undialled := func(l [2]int) bool { return len(d.Peers[l[0]].Addrs)+len(d.Peers[l[1]].Addrs) == 0 }
	if opened := slices.DeleteFunc(slices.Clone(edges), undialled); d.connected(opened, present) {
		return opened
	}
	return edges
}

// connected reports whether links connect all places with a property.
func (d *Document) connected(links [][2]int, in func(place int) bool) bool {
	root := make([]int, len(d.Peers))
	parts := 0
	for i := range root {
		if root[i] = i; in(i) {
			parts++
		}
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, l := range links {
		if a, b := find(l[0]), find(l[1]); in(l[0]) && in(l[1]) && a != b {
			root[a] = b
			parts--
		}
	}
	return parts <= 1
}

// without returns links with a circle of the neighbours of a place, in the order of their places, instead of the place.
func without(links [][2]int, place int) [][2]int {
	var around []int
	links = slices.DeleteFunc(links, func(l [2]int) bool {
		here := l[0] == place || l[1] == place
		if here {
			around = append(around, l[0]+l[1]-place)
		}
		return here
	})
	slices.Sort(around)
	for i, a := range around {
		b := around[(i+1)%len(around)]
		if l := [2]int{min(a, b), max(a, b)}; a != b && !slices.Contains(links, l) && !slices.Contains(links, [2]int{l[1], l[0]}) {
			links = append(links, l)
		}
	}
	return links
}

// Duration returns the length of a round; 0 if it is invalid, which Check refuses.
func (d *Document) Duration() time.Duration {
	every, _ := time.ParseDuration(d.Every) // 0 with an error
	return every
}

// clone returns a copy that shares no list that apply changes.
func (d *Document) clone() *Document {
	c := *d
	c.Peers, c.Links, c.Signers = slices.Clone(d.Peers), slices.Clone(d.Links), slices.Clone(d.Signers)
	c.Added, c.Retired, c.Changed = slices.Clone(d.Added), slices.Clone(d.Retired), slices.Clone(d.Changed)
	return &c
}

// Bounds of a document.
const (
	maxPeers   = 10_000 // places, also of gone peers
	maxSigners = 64
)

var goodName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Check refuses a document that no network can begin with.
func (d *Document) Check() error {
	every, err := time.ParseDuration(d.Every)
	switch {
	case !goodName.MatchString(d.Name):
		return refuse("name %.70q: want 1 to 64 letters, digits, dots, dashes and underscores", d.Name)
	case err != nil || every < time.Millisecond || every > 24*time.Hour:
		return refuse("every %.40q: want a duration from 1ms to 24h", d.Every)
	case d.Start.Year() < 2020 || d.Start.Year() > 9000 || d.Start.Location() != time.UTC:
		return refuse("start %v: want the time of round 0, in UTC", d.Start)
	case len(d.Peers) == 0 || len(d.Peers) > maxPeers || d.Version != 1:
		return refuse("version %d with %d peers, want version 1 with 1 to %d", d.Version, len(d.Peers), maxPeers)
	}
	seen := make(map[string]bool)
	for _, p := range d.Peers {
		if err = goodPeer(p.Name, p.ID, seen["name "+p.Name] || seen["id "+p.ID]); err != nil {
			return err
		}
		if p.Standing != Present && p.Standing != Invited || p.Former != nil || p.Closed != nil {
			return refuse("peer %s: standing %.40q, or former keys", p.Name, p.Standing)
		}
		seen["name "+p.Name], seen["id "+p.ID] = true, true
	}
	if _, err = topology.NewGraph(len(d.Peers), d.Links); err != nil {
		return refuse("links: %v", err)
	}
	if !d.connected(d.Links, func(int) bool { return true }) {
		return refuse("links %v do not connect all peers", d.Links)
	}
	return d.checkSigners(d.Signers, d.Needed)
}

// goodPeer refuses the name or the id of a new peer.
func goodPeer(name, id string, known bool) error {
	if !goodName.MatchString(name) || id == "" || len(id) > maxName || known {
		return refuse("peer %.70q with id %.70q: want a name of 1 to 64 letters, digits, dots, dashes and underscores, and an id, which no peer has or had", name, id)
	}
	return nil
}

// checkSigners refuses signers that are not different peers, by place, or of whom no majority has to sign.
func (d *Document) checkSigners(all []Signer, needed int) error {
	last := -1
	for _, s := range all {
		place, ok := d.Place(s.Name)
		if !ok || d.Peers[place].Standing == Gone || place <= last || s.ID == "" || len(s.ID) > maxName {
			return refuse("signers: %.70q: want a peer that has not left, each once, in the order of the places, with an id", s.Name)
		}
		last = place
	}
	if n := len(all); n == 0 || n > maxSigners || needed < 0 || needed > n || needed > 0 && needed <= n/2 {
		return refuse("%d of %d have to sign, want more than half of 1 to %d", needed, n, maxSigners)
	}
	return nil
}
