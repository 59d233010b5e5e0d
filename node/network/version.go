package network

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// A Version is one step of the chain: the bytes that were signed, and the signatures. Before as many signers as have to have signed, it is
// a proposal.
type Version struct {
	Text json.RawMessage `json:"version"` // a [Step]
	Sigs []Signature     `json:"sigs"`    // by place
}

// A Signature is a signer's, of exactly the bytes of a version.
type Signature struct {
	Place int    `json:"place"`
	Sig   []byte `json:"sig"`
}

// A Step is what a version says.
type Step struct {
	Number uint64 `json:"number"`
	Parent string `json:"parent"`        // hash of the version before
	By     int    `json:"by"`            // place of the signer that proposes it
	Try    uint64 `json:"try,omitempty"` // number of its proposals after this parent; a later one replaces an earlier one
	Change Change `json:"change"`
}

// Keys signs with this peer's key and verifies signatures by other peers' keys. Signatures are
// for network documents only.
type Keys interface {
	Sign(b []byte) ([]byte, error)
	Verify(id string, b, sig []byte) bool
}

// Domain separates signatures of network documents from all other signatures with a peer's key.
const Domain = "peerd/document/2"

// Bounds of what is signed, sent and kept.
const (
	maxText   = 16 << 10 // bytes of what a version says
	maxSig    = 64       // bytes of a signature
	maxFrame  = 64 << 10 // bytes of the first document, of a version with its signatures, or of a record
	maxNumber = 1 << 53  // of records and tries
	Room      = 8 << 20  // bytes of all versions with the signatures of all signers
)

// Full says in a sentence how full a document is whose versions take some bytes; empty below three quarters of [Room].
func Full(room int) string {
	if room < Room/4*3 {
		return ""
	}
	return fmt.Sprintf("the network document is %d %% full: %d of %d bytes. When it is full, nothing that concerns all can change any more", 100*room/Room, room, Room)
}

// Hash returns the hash of the version, which names it.
func (v *Version) Hash() string { return hashOf(v.Text) }

// signed returns what a signature of a version covers.
func (v *Version) signed() []byte { return append([]byte("version\x00"), v.Text...) }

// step returns what a version says; nothing if that is damaged.
func (v *Version) step() (s Step) {
	_ = json.Unmarshal(v.Text, &s)
	return s
}

// has reports whether the signer in a place has signed.
func (v *Version) has(place int) bool {
	return slices.ContainsFunc(v.Sigs, func(x Signature) bool { return x.Place == place })
}

// with returns the version with more signatures, one of each place.
func (v *Version) with(more ...Signature) Version {
	all := slices.Concat(v.Sigs, more)
	slices.SortStableFunc(all, func(a, b Signature) int { return cmp.Compare(a.Place, b.Place) })
	return Version{v.Text, slices.CompactFunc(all, func(a, b Signature) bool { return a.Place == b.Place })}
}

// read decodes text of which there is one for each value.
func read(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return refuse("%v", err)
	}
	if !bytes.Equal(encode(to), text) {
		return refuse("%d bytes that no peer writes so", len(text))
	}
	return nil
}

// A chain is a first document with the versions that follow. It depends on nothing else.
type chain struct {
	d       *Document // of the newest version, without what places have said of themselves
	hashes  []string  // of the versions, from the first
	room    int       // that versions take
	network string    // hash of the first document
}

// begin returns the chain of a first document.
func begin(root []byte) (*chain, error) {
	d := new(Document)
	if len(root) >= maxFrame {
		return nil, refuse("a first document of %d bytes, at most %d", len(root), maxFrame-1)
	}
	if err := read(root, d); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	return &chain{d: d, hashes: []string{hashOf(root)}, network: hashOf(root)}, nil
}

// clone returns a copy that can be extended.
func (c *chain) clone() *chain {
	n := *c
	n.d, n.hashes = c.d.clone(), slices.Clip(c.hashes)
	return &n
}

func (c *chain) head() string { return c.hashes[len(c.hashes)-1] }

// verify returns what a version says that can follow, as a proposal or with enough signatures. All signatures have to be valid, and of different
// signers, among them the one that proposes it.
func (c *chain) verify(v *Version, keys Keys) (s Step, err error) {
	if len(v.Text) > maxText {
		return s, refuse("a version of %d bytes, at most %d", len(v.Text), maxText)
	}
	if err = read(v.Text, &s); err != nil {
		return s, err
	}
	if s.Number != c.d.Version+1 || s.Parent != c.head() {
		return s, refuse("version %d does not follow version %d", s.Number, c.d.Version)
	}
	last := -1
	for _, x := range v.Sigs {
		signer := c.d.SignerAt(x.Place)
		if signer == nil || x.Place <= last || len(x.Sig) > maxSig || !keys.Verify(signer.ID, v.signed(), x.Sig) {
			return s, refuse("version %d: a signature that no signer has given, or one twice", s.Number)
		}
		last = x.Place
	}
	if !v.has(s.By) || s.Try > maxNumber {
		return s, refuse("version %d: the peer that proposes it has not signed it, or too often", s.Number)
	}
	return s, nil
}

// size returns the room that a version of some bytes takes: peers may know signatures of different signers, so all count.
func (c *chain) size(text int) int { return text + len(c.d.Signers)*2*maxSig }

// extend appends a version. With nil keys its signatures are only counted. After an error c has not changed.
func (c *chain) extend(v *Version, keys Keys) (s Step, err error) {
	if keys == nil {
		s = v.step()
	} else if s, err = c.verify(v, keys); err != nil {
		return s, err
	}
	if len(v.Sigs) < c.d.Quorum() {
		return s, refuse("version %d has %d signatures, want %d of %d", s.Number, len(v.Sigs), c.d.Quorum(), len(c.d.Signers))
	}
	size := c.size(len(v.Text))
	if c.room+size > Room {
		return s, refuse("version %d: the document is full: its versions take %d of %d bytes", s.Number, c.room, Room)
	}
	if err = c.d.apply(&s.Change); err != nil {
		return s, err
	}
	c.hashes, c.room = append(c.hashes, v.Hash()), c.room+size
	return s, nil
}
