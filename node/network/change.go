package network

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a change does.
type Kind string

// The changes.
const (
	Invite Kind = "invite" // gives a peer a place, with a key that was made for it
	Join   Kind = "join"   // puts the invited peer's own key and addresses in its place
	Add    Kind = "add"    // gives a peer with a key and addresses of its own a place
	Remove Kind = "remove" // ends a peer's part in the network permanently
	Move   Kind = "move"   // sets a peer's addresses
	Rotate Kind = "rotate" // sets a peer's key, and states how far its ledger was under the former one
	Extend Kind = "extend" // adds an arm
	Retire Kind = "retire" // ends the choices of an arm permanently
	Govern Kind = "admins" // sets who signs changes, and how many of them have to
	Link   Kind = "link"   // links two peers
	Unlink Kind = "unlink" // ends the link of two peers
	Set    Kind = "set"    // sets a setting that all peers share
)

// A Change makes the next version of a document.
type Change struct {
	Kind   Kind     `json:"kind"`
	Peer   string   `json:"peer"`             // name; empty for changes of arms
	Arm    string   `json:"arm,omitempty"`    // name
	ID     string   `json:"id,omitempty"`     // the new key's
	Ledger *Ledger  `json:"ledger,omitempty"` // of a peer whose key is replaced; nil if it has no record
	Addrs  []string `json:"addrs,omitempty"`  // the new ones
	Links  []string `json:"links,omitempty"`  // names of a new peer's neighbours, none for all; or of one to link or unlink
	Proof  []byte   `json:"proof,omitempty"`  // signed by the new key: its holder wants this

	Admins []string `json:"admins,omitempty"` // names
	Needed int      `json:"needed,omitempty"` // of the admins; more than half if 0

	Setting *Setting `json:"setting,omitempty"`
}

// String describes c in words.
func (c *Change) String() string {
	if c.ofArms() {
		return fmt.Sprintf("%s %q", c.Kind, c.Arm)
	}
	if c.Kind == Govern {
		return fmt.Sprintf("%s %s, of whom %s sign", c.Kind, strings.Join(c.Admins, ", "), cmp.Or(strings.TrimPrefix(strconv.Itoa(c.Needed), "0"), "more than half"))
	}
	if c.Kind == Set && c.Setting != nil {
		return fmt.Sprintf("%s %s to %s", c.Kind, c.Setting.Key, c.Setting.Value)
	}
	s := string(c.Kind) + " " + c.Peer
	if c.Kind == Link || c.Kind == Unlink {
		s += " and " + strings.Join(c.Links, ", ")
	}
	if len(c.Addrs) > 0 {
		s += " at " + strings.Join(c.Addrs, ", ")
	}
	if c.ID != "" {
		s += " with id " + c.ID
	}
	return s
}

// Own reports whether the change concerns only its peer: if that peer asks for it, the others
// sign without their operators' approval.
func (c *Change) Own() bool {
	return c.Kind == Join || c.Kind == Move || c.Kind == Rotate || c.Kind == Remove
}

// ofArms reports whether the change is about arms, and not peers.
func (c *Change) ofArms() bool { return c.Kind == Extend || c.Kind == Retire }

// proven returns what a new key signs as proof.
func (c *Change) proven(network string) []byte {
	bare := *c
	bare.Proof = nil
	b, err := json.Marshal(bare)
	if err != nil {
		panic("network: " + err.Error()) // texts can always be encoded
	}
	return fmt.Appendf(nil, "key\x00%s\x00%s", network, b)
}

// Prove signs the change with the new key that it brings. network is the hash of the first document.
func (c *Change) Prove(network string, sign func(b []byte) ([]byte, error)) (err error) {
	c.Proof, err = sign(c.proven(network))
	return err
}

// Next returns the document that c makes of d.
func (d *Document) Next(c *Change) (*Document, error) {
	n := d.clone()
	n.Version, n.Before = d.Version+1, d.Hash()
	place, known := d.Place(c.Peer)
	var p *Peer
	if known {
		p = &n.Peers[place]
	}
	wants := func(s ...Standing) error {
		if !known {
			return refuse("%s: there is no peer %.70q", c.Kind, c.Peer)
		}
		if !slices.Contains(s, p.Standing) {
			return refuse("%s: %s is %s", c.Kind, c.Peer, p.Standing)
		}
		return nil
	}
	var err error
	switch c.Kind {
	case Invite, Add:
		if known {
			return nil, refuse("%s: there is a peer %s, or was one: choose another name", c.Kind, c.Peer)
		}
		err = n.enter(c)
	case Join:
		if err = wants(Invited); err == nil {
			p.Former, p.ID, p.Addrs, p.Standing = append(p.Former, p.ID), c.ID, c.Addrs, Present
		}
	case Move:
		if err = wants(Present); err == nil {
			p.Addrs = c.Addrs
		}
	case Rotate:
		if err = wants(Present); err == nil {
			err = p.rotate(c)
		}
	case Remove:
		if err = wants(Present, Invited); err == nil {
			n.leave(place)
		}
	case Extend, Retire:
		err = n.setArm(c)
	case Govern:
		err = n.govern(c)
	case Link, Unlink:
		if err = wants(Present, Invited); err == nil {
			err = n.link(place, c)
		}
	case Set:
		err = n.set(c)
	default:
		err = refuse("change %.40q: want invite, join, add, remove, move, rotate, extend, retire, admins, link, unlink or set; another build of peerd may know it", c.Kind)
	}
	if err == nil {
		err = n.Check()
	}
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// rotate replaces the key of a peer.
func (p *Peer) rotate(c *Change) error {
	if l := c.Ledger; l != nil {
		if head, err := hex.DecodeString(l.Head); err != nil || len(head) != sha256.Size || l.Records == 0 {
			return refuse("%s: a ledger of %d records with head %.70q, want a record and %d hexadecimal digits", c.Kind, l.Records, l.Head, 2*sha256.Size)
		}
		p.Closed = append(p.Closed, Closed{p.ID, *l})
	}
	p.Former, p.ID = append(p.Former, p.ID), c.ID
	return nil
}

// setArm adds an arm or retires one. The settings have the first arms, and this package does not
// read settings: its callers refuse the other wrong changes.
func (d *Document) setArm(c *Change) error {
	all, verb := &d.Added, "added"
	if c.Kind == Retire {
		all, verb = &d.Retired, "retired"
	}
	switch {
	case c.Peer != "":
		return refuse("%s: peer %.70q, want none", c.Kind, c.Peer)
	case strings.TrimSpace(c.Arm) == "" || len(c.Arm) > maxName:
		return refuse("%s: arm %.70q, want a name of 1 to %d bytes", c.Kind, c.Arm, maxName)
	case slices.Contains(*all, c.Arm):
		return refuse("%s: %q was %s before", c.Kind, c.Arm, verb)
	}
	*all = append(*all, c.Arm)
	return nil
}

// govern sets the admins.
func (d *Document) govern(c *Change) error {
	if len(c.Admins) == 0 || c.Peer != "" {
		return refuse("%s: want the names of peers", c.Kind)
	}
	for i, name := range c.Admins {
		if place, ok := d.Place(name); !ok || d.Peers[place].Standing != Present {
			return refuse("%s: no peer %.70q is present", c.Kind, name)
		} else if slices.Contains(c.Admins[:i], name) {
			return refuse("%s: %s is named twice", c.Kind, name)
		}
	}
	if n := len(c.Admins); c.Needed != 0 && (c.Needed <= n/2 || c.Needed > n) {
		return refuse("%s: %d of %d have to sign, want more than half", c.Kind, c.Needed, n)
	}
	if slices.Equal(d.Admins, c.Admins) && d.Needed == c.Needed {
		return refuse("%s: they are the admins already", c.Kind)
	}
	d.Admins, d.Needed = slices.Clone(c.Admins), c.Needed
	return nil
}

// link links a peer with another one, or ends their link.
func (d *Document) link(place int, c *Change) error {
	if len(c.Links) != 1 {
		return refuse("%s: want the names of two peers", c.Kind)
	}
	other, ok := d.Place(c.Links[0])
	if !ok || other == place || d.Peers[other].Standing == Gone {
		return refuse("%s: there is no other peer %.70q", c.Kind, c.Links[0])
	}
	at := slices.IndexFunc(d.Links, func(l [2]int) bool { return l == [2]int{place, other} || l == [2]int{other, place} })
	switch {
	case c.Kind == Link && at >= 0:
		return refuse("%s: %s and %s have a link", c.Kind, c.Peer, c.Links[0])
	case c.Kind == Link:
		d.Links = append(d.Links, [2]int{min(place, other), max(place, other)})
	case at < 0:
		return refuse("%s: %s and %s have no link", c.Kind, c.Peer, c.Links[0])
	default:
		d.Links = slices.Delete(d.Links, at, at+1)
	}
	return nil
}

// set changes a shared setting. Like arms, settings are read by this package's callers, who refuse other wrong changes.
func (d *Document) set(c *Change) error {
	x := c.Setting
	if x == nil || c.Peer != "" || len(x.Value) > maxName {
		return refuse("%s: want a setting with a value of at most %d bytes", c.Kind, maxName)
	}
	named := func(s Setting) bool { return s.Key == x.Key }
	at := slices.IndexFunc(d.Settings, named)
	if at < 0 {
		return refuse("%s: %.70q is no setting that the peers of this network share", c.Kind, x.Key)
	}
	now := d.Settings[at].Value
	if i := slices.IndexFunc(d.Changed, named); i >= 0 {
		now = d.Changed[i].Value
		d.Changed = slices.Delete(d.Changed, i, i+1)
	}
	if now == x.Value {
		return refuse("%s: %s is %s already", c.Kind, x.Key, x.Value)
	}
	if x.Value != d.Settings[at].Value {
		d.Changed = append(d.Changed, *x)
	}
	return nil
}

// maxName bounds the name of an arm and the value of a setting.
const maxName = 256

// enter appends a new peer with its links.
func (d *Document) enter(c *Change) error {
	place := len(d.Peers)
	for _, name := range c.Links {
		if _, ok := d.Place(name); !ok {
			return refuse("%s: there is no peer %.70q to link with", c.Kind, name)
		}
	}
	linked := false
	for i, p := range d.Peers {
		if p.Standing != Gone && (len(c.Links) == 0 || slices.Contains(c.Links, p.Name)) {
			d.Links = append(d.Links, [2]int{i, place})
			linked = linked || p.Standing == Present
		}
	}
	if !linked {
		return refuse("%s: %s would have no neighbour that is present", c.Kind, c.Peer)
	}
	p := Peer{Name: c.Peer, ID: c.ID, Addrs: c.Addrs, Standing: Present}
	if c.Kind == Invite {
		p.Standing, p.Token = Invited, c.ID
	}
	d.Peers = append(d.Peers, p)
	return nil
}

// leave ends a peer's part. If the others would be disconnected, its neighbours are linked in a
// circle, in the order of their places.
func (d *Document) leave(place int) {
	d.Peers[place].Standing, d.Peers[place].Addrs = Gone, nil
	var around []int
	d.Links = slices.DeleteFunc(d.Links, func(l [2]int) bool {
		if l[0] != place && l[1] != place {
			return false
		}
		if other := l[0] + l[1] - place; d.Peers[other].Standing == Present {
			around = append(around, other)
		}
		return true
	})
	slices.Sort(around)
	if len(around) < 2 || len(reach(len(d.Peers), d.Edges(), around[0])) == d.present() {
		return
	}
	for i, a := range around {
		b := around[(i+1)%len(around)]
		l := [2]int{min(a, b), max(a, b)}
		if a != b && !slices.Contains(d.Links, l) && !slices.Contains(d.Links, [2]int{l[1], l[0]}) {
			d.Links = append(d.Links, l)
		}
	}
}

// present returns how many peers are present.
func (d *Document) present() (n int) {
	for _, p := range d.Peers {
		if p.Standing == Present {
			n++
		}
	}
	return n
}
