package network

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Kind is what a change does.
type Kind string

// The changes.
const (
	Invite Kind = "invite" // gives a peer a place, with a key that was made for it
	Remove Kind = "remove" // ends a peer's part in the network permanently
	Extend Kind = "extend" // adds an arm
	Retire Kind = "retire" // ends the choices of an arm permanently
	Govern Kind = "admins" // sets who signs versions, with which keys, and how many of them have to
	Link   Kind = "link"   // links two peers
	Unlink Kind = "unlink" // ends the link of two peers
	Set    Kind = "set"    // sets a setting that all peers share
)

// A Change makes the next version of a document. Its kind determines which fields it has.
type Change struct {
	Kind    Kind     `json:"kind"`
	Peer    string   `json:"peer,omitempty"`    // name: invite, remove, link, unlink
	ID      string   `json:"id,omitempty"`      // of the key that was made for the peer: invite
	Links   []string `json:"links,omitempty"`   // names of the new peer's neighbours: invite; of the other peer: link, unlink
	Arm     string   `json:"arm,omitempty"`     // name: extend, retire
	Setting *Setting `json:"setting,omitempty"` // set
	Signers []Signer `json:"signers,omitempty"` // by place: admins
	Needed  int      `json:"needed,omitempty"`  // of the signers, more than half if 0: admins
}

// bare returns the change with the fields of its kind alone.
func (c *Change) bare() (b Change, err error) {
	b.Kind = c.Kind
	switch c.Kind {
	case Invite:
		b.Peer, b.ID, b.Links = c.Peer, c.ID, c.Links
	case Remove:
		b.Peer = c.Peer
	case Extend, Retire:
		b.Arm = c.Arm
	case Govern:
		b.Signers, b.Needed = c.Signers, c.Needed
	case Link, Unlink:
		b.Peer, b.Links = c.Peer, c.Links
	case Set:
		b.Setting = c.Setting
	default:
		return b, refuse("change %.40q: want invite, remove, extend, retire, admins, link, unlink or set; another build of peerd may know it", c.Kind)
	}
	return b, nil
}

// String describes c in words.
func (c *Change) String() string {
	switch c.Kind {
	case Extend, Retire:
		return fmt.Sprintf("%s %q", c.Kind, c.Arm)
	case Govern:
		needed := "more than half"
		if c.Needed > 0 {
			needed = fmt.Sprint(c.Needed)
		}
		var names []string
		for _, s := range c.Signers {
			names = append(names, s.Name)
		}
		return fmt.Sprintf("%s %s, of whom %s sign", c.Kind, strings.Join(names, ", "), needed)
	case Set:
		return fmt.Sprintf("%s %s to %s", c.Kind, c.Setting.Key, c.Setting.Value)
	case Link, Unlink:
		return fmt.Sprintf("%s %s and %s", c.Kind, c.Peer, strings.Join(c.Links, ", "))
	case Invite:
		return fmt.Sprintf("%s %s, linked with %s", c.Kind, c.Peer, strings.Join(c.Links, ", "))
	default:
		return fmt.Sprintf("%s %s", c.Kind, c.Peer)
	}
}

// ofNetwork reports whether the change names no peer.
func (c *Change) ofNetwork() bool {
	return c.Kind == Extend || c.Kind == Retire || c.Kind == Set || c.Kind == Govern
}

// apply makes d the document that c makes of it. After an error d has not changed.
func (d *Document) apply(c *Change) error {
	b, err := c.bare()
	if err != nil {
		return err
	}
	if string(encode(&b)) != string(encode(c)) {
		return refuse("%s: a field that this change does not use", c.Kind)
	}
	place, known := d.Place(c.Peer)
	if !c.ofNetwork() && c.Kind != Invite && (!known || d.Peers[place].Standing == Gone) {
		return refuse("%s: there is no peer %.70q", c.Kind, c.Peer)
	}
	switch c.Kind {
	case Invite:
		err = d.invite(c, place, known)
	case Remove:
		if d.SignerAt(place) != nil {
			return refuse("%s: %s signs versions: name other admins first", Remove, c.Peer)
		}
		d.Peers[place].Standing, d.Peers[place].Addrs = Gone, nil
	case Extend:
		d.Added, err = c.named(d.Added, "added")
	case Retire:
		d.Retired, err = c.named(d.Retired, "retired")
	case Govern:
		if err = d.checkSigners(c.Signers, c.Needed); err == nil && slices.Equal(d.Signers, c.Signers) && d.Needed == c.Needed {
			err = refuse("%s: they are the admins already", c.Kind)
		}
		if err == nil {
			d.Signers, d.Needed = c.Signers, c.Needed
		}
	case Link, Unlink:
		err = d.link(place, c)
	default:
		err = d.set(c)
	}
	if err == nil {
		d.Version++
	}
	return err
}

// hasID reports whether a peer has or had an id.
func (d *Document) hasID(id string) bool {
	_, _, ok := d.PlaceOf(id)
	return ok
}

// invite appends a new peer with its links. The name may be that of a peer that was invited, or that left: the place of that one is not used
// again, and is named by its number. Signers see to it that nobody has joined in it.
func (d *Document) invite(c *Change, place int, known bool) error {
	again := known && d.Peers[place].Standing != Present && d.SignerAt(place) == nil
	void := fmt.Sprintf("withdrawn-%d", place)
	if _, taken := d.Place(void); again && taken {
		return refuse("%s: %s cannot be invited again, since a peer has the name %s: choose another name", c.Kind, c.Peer, void)
	}
	if err := goodPeer(c.Peer, c.ID, known && !again || d.hasID(c.ID)); err != nil {
		return fmt.Errorf("%s: %w", c.Kind, err)
	}
	var links [][2]int
	for _, name := range c.Links {
		i, ok := d.Place(name)
		l := [2]int{i, len(d.Peers)}
		if !ok || name == c.Peer || d.Peers[i].Standing == Gone || slices.Contains(links, l) {
			return refuse("%s: links: there is no peer %.70q to link with, or it is named twice", c.Kind, name)
		}
		links = append(links, l)
	}
	if len(links) == 0 || len(d.Peers) == maxPeers {
		return refuse("%s: %s would have no neighbour, or the network more than %d places", c.Kind, c.Peer, maxPeers)
	}
	if again {
		d.Peers[place].Name, d.Peers[place].Standing = void, Gone
	}
	d.Links = append(d.Links, links...)
	d.Peers = append(d.Peers, Peer{Name: c.Peer, ID: c.ID, Standing: Invited})
	return nil
}

// follow gives a peer its next key.
func (p *Peer) follow(k *Key) error {
	if l := k.Ledger; l != nil {
		if head, err := hex.DecodeString(l.Head); err != nil || len(head) != sha256.Size || l.Records == 0 {
			return refuse("a ledger of %d records with head %.70q, want a record and %d hexadecimal digits", l.Records, l.Head, 2*sha256.Size)
		}
		p.Closed = append(slices.Clip(p.Closed), Closed{p.ID, *l})
	}
	p.Former, p.ID = append(slices.Clip(p.Former), p.ID), k.ID
	return nil
}

// named returns all with the arm of the change. The settings have the first arms, and this package does not
// read settings: its callers refuse the other wrong changes.
func (c *Change) named(all []string, verb string) ([]string, error) {
	switch {
	case strings.TrimSpace(c.Arm) == "" || len(c.Arm) > maxName:
		return all, refuse("%s: arm %.70q, want a name of 1 to %d bytes", c.Kind, c.Arm, maxName)
	case slices.Contains(all, c.Arm):
		return all, refuse("%s: %q was %s before", c.Kind, c.Arm, verb)
	}
	return append(slices.Clip(all), c.Arm), nil
}

// link links a peer with another one, or ends their link.
func (d *Document) link(place int, c *Change) error {
	other, ok := 0, false
	if len(c.Links) == 1 {
		other, ok = d.Place(c.Links[0])
	}
	if !ok || other == place || d.Peers[other].Standing == Gone {
		return refuse("%s: want the names of two peers, not %.70q", c.Kind, c.Links)
	}
	l := [2]int{min(place, other), max(place, other)}
	links := slices.DeleteFunc(slices.Clone(d.Links), func(o [2]int) bool { return o == l || o == [2]int{l[1], l[0]} })
	switch has := len(links) < len(d.Links); {
	case has == (c.Kind == Link):
		return refuse("%s: %s and %s have a link: %v", c.Kind, c.Peer, c.Links[0], has)
	case c.Kind == Link:
		links = append(links, l)
	case !d.connected(links, func(int) bool { return true }):
		return refuse("%s: there would be no way from %s to %s", c.Kind, c.Peer, c.Links[0])
	}
	d.Links = links
	return nil
}

// set changes a shared setting. Like arms, settings are read by this package's callers, who refuse other wrong changes.
func (d *Document) set(c *Change) error {
	x := c.Setting
	if x == nil || len(x.Value) > maxName {
		return refuse("%s: want a setting with a value of at most %d bytes", c.Kind, maxName)
	}
	named := func(s Setting) bool { return s.Key == x.Key }
	at := slices.IndexFunc(d.Settings, named)
	if at < 0 {
		return refuse("%s: %.70q is no setting that the peers of this network share", c.Kind, x.Key)
	}
	now := d.Settings[at].Value
	rest := slices.DeleteFunc(slices.Clone(d.Changed), func(s Setting) bool {
		if named(s) {
			now = s.Value
		}
		return named(s)
	})
	if now == x.Value {
		return refuse("%s: %s is %s already", c.Kind, x.Key, x.Value)
	}
	if x.Value != d.Settings[at].Value {
		rest = append(rest, *x)
	}
	d.Changed = rest
	return nil
}

// maxName bounds an id, the name of an arm and the value of a setting.
const maxName = 256
