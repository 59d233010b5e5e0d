package network

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// A Version is one step of the chain: the bytes that were signed, and the signatures. Before as many signers as have to have signed, it is a
// proposal.
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

// Bounds of what is signed and kept, in bytes.
const (
	maxText  = 16 << 10 // of a version
	maxSig   = 64       // of a signature
	MaxFrame = 64 << 10 // of a version with its signatures, of a record, and of the first document
	Room     = 8 << 20  // of all versions with their signatures
)

// size returns how much room a version takes with the signatures of all signers: peers may know different ones.
func (v *Version) size(signers int) int {
	return len(v.Text) + signers*(maxSig+len(`{"place":0000,"sig":""}`))
}

// Hash returns the hash of the version, which names it.
func (v *Version) Hash() string { return hashOf(v.Text) }

// signed returns what a signature of a version covers.
func (v *Version) signed() []byte { return append([]byte("version\x00"), v.Text...) }

// read decodes text of which there is one for each value.
func read(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return refuse("%v", err)
	}
	if !bytes.Equal(encode(to), text) {
		return refuse("not as a peer writes it, from byte %d of %d", d.InputOffset(), len(text))
	}
	return nil
}

// read returns what a version says; nothing if it is damaged, which step refuses.
func (v *Version) read() (s Step) {
	_ = json.Unmarshal(v.Text, &s)
	return s
}

// step reads a version that can follow a document, and verifies its signatures. All have to be valid, and of different signers.
func (v *Version) step(d *Document, parent string, keys Keys) (s *Step, err error) {
	if len(v.Text) > maxText {
		return nil, refuse("a version of %d bytes, at most %d", len(v.Text), maxText)
	}
	s = new(Step)
	if err = read(v.Text, s); err != nil {
		return nil, err
	}
	if s.Number != d.Version+1 || s.Parent != parent {
		return nil, refuse("version %d does not follow version %d", s.Number, d.Version)
	}
	last := -1
	for _, x := range v.Sigs {
		signer := d.SignerAt(x.Place)
		if signer == nil || x.Place <= last || len(x.Sig) > maxSig || !keys.Verify(signer.ID, v.signed(), x.Sig) {
			return nil, refuse("version %d: a signature that no signer has given, or one twice", s.Number)
		}
		last = x.Place
	}
	if !v.has(s.By) {
		return nil, refuse("version %d: the peer that proposes it has not signed it", s.Number)
	}
	return s, nil
}

// has reports whether the signer in a place has signed.
func (v *Version) has(place int) bool {
	return slices.ContainsFunc(v.Sigs, func(x Signature) bool { return x.Place == place })
}

// with returns the version with signatures of another one, which says the same.
func (v *Version) with(more ...Signature) Version {
	all := slices.Clone(v.Sigs)
	for _, x := range more {
		if !v.has(x.Place) {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b Signature) int { return cmp.Compare(a.Place, b.Place) })
	return Version{v.Text, all}
}

// A chain is a first document with the versions that follow. It depends on nothing else.
type chain struct {
	d      *Document // of the newest version, without what places have said of themselves
	first  uint64    // number of the first version
	hashes []string  // of the versions, from the first
	room   int       // that versions take
}

// begin returns the chain of a first document.
func begin(root []byte) (*chain, error) {
	d := new(Document)
	if len(root) > MaxFrame-1 {
		return nil, refuse("a first document of %d bytes, at most %d", len(root), MaxFrame-1)
	}
	if err := read(root, d); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	return &chain{d: d, first: d.Version, hashes: []string{hashOf(root)}}, nil
}

func (c *chain) head() string { return c.hashes[len(c.hashes)-1] }

// network returns the hash of the document with which the network began.
func (c *chain) network() string { return cmp.Or(c.d.Network, c.hashes[0]) }

// at returns the hash of the version with a number; empty if the chain has none.
func (c *chain) at(number uint64) string {
	if number < c.first || number > c.d.Version {
		return ""
	}
	return c.hashes[number-c.first]
}

// extend appends a version. With nil keys its signatures are not verified. After an error c has not changed.
func (c *chain) extend(v *Version, keys Keys) (*Step, error) {
	s, err := new(Step), error(nil)
	if keys != nil {
		s, err = v.step(c.d, c.head(), keys)
	} else {
		err = read(v.Text, s)
	}
	if err != nil {
		return nil, err
	}
	if len(v.Sigs) < c.d.Quorum() {
		return nil, refuse("version %d has %d signatures, want %d of %d", s.Number, len(v.Sigs), c.d.Quorum(), len(c.d.Signers))
	}
	size := v.size(len(c.d.Signers))
	if c.room+size > Room {
		return nil, refuse("version %d: the document is full: all versions take at most %d bytes", s.Number, Room)
	}
	if err = c.d.apply(&s.Change); err != nil {
		return nil, err
	}
	c.hashes = append(c.hashes, v.Hash())
	c.room += size
	return s, nil
}
