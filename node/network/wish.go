package network

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A Wish is a change that a peer wants. A peer has one at a time, and a later one replaces it. The
// peer seals its wish when enough signers have approved it. Only a sealed wish is voted on, and
// only until then it can be withdrawn.
type Wish struct {
	Author int     `json:"author"`           // its place
	Number uint64  `json:"number"`           // of this author's wishes, from 1
	Change *Change `json:"change,omitempty"` // nil: the author wants nothing any more
	Sig    []byte  `json:"sig"`              // by the author
	Seal   []byte  `json:"seal,omitempty"`   // of the motion for the next version, by the author
}

// An Approval is a signer's consent to a wish.
type Approval struct {
	Place  int    `json:"place"`
	Author int    `json:"author"`
	Number uint64 `json:"number"`
	Sig    []byte `json:"sig"`
}

// A Motion is a change that a peer wants as the next version.
type Motion struct {
	Change Change `json:"change"`
	Author int    `json:"author"` // its place
	Sig    []byte `json:"sig"`    // by the author
}

// A Sealed is a motion with the approvals of as many signers as have to vote for it.
type Sealed struct {
	Motion
	Number    uint64      `json:"number"` // of the wish
	Approvals []Signature `json:"approvals"`
}

// Hash returns what identifies a wish with its content: 12 hexadecimal digits.
func (w *Wish) Hash(network string) string {
	sum := sha256.Sum256(signedWish("wish", network, w.Author, w.Number, w.Change))
	return hex.EncodeToString(sum[:6])
}

// compare returns a negative number if w is before another wish of its author, and 0 if they are
// the same. An author that lies can give two wishes one number.
func (w *Wish) compare(other *Wish) int {
	return cmp.Or(cmp.Compare(w.Number, other.Number), cmp.Compare(len(w.Seal), len(other.Seal)), strings.Compare(text(w.Change), text(other.Change)))
}

// signedWish returns what signatures of a wish and of its approvals cover.
func signedWish(as, network string, author int, number uint64, c *Change) []byte {
	return fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d\x00%s", as, network, author, number, encode(c))
}

// signedMotion returns what a seal covers. next is the hash of the document that the motion makes.
func (t *terms) signedMotion(next string) []byte {
	return fmt.Appendf(nil, "motion\x00%s\x00%s", t.network, next)
}

// Limits of what a change brings.
const (
	maxAddrs = 16
	maxAddr  = 256
	maxProof = 256
)

// wish verifies a wish.
func (t *terms) wish(w *Wish) error {
	if !t.by(w.Author, signedWish("wish", t.network, w.Author, w.Number, w.Change), w.Sig) {
		return refuse("a wish that peer %d has not signed", w.Author)
	}
	c := w.Change
	if c == nil {
		if len(w.Seal) > 0 {
			return refuse("a sealed wish for nothing")
		}
		return nil
	}
	if len(c.Addrs) > maxAddrs || len(c.Proof) > maxProof || len(c.ID) > maxAddr || slices.ContainsFunc(c.Addrs, func(a string) bool { return len(a) > maxAddr }) {
		return refuse("%s: want at most %d addresses of %d bytes", c.Kind, maxAddrs, maxAddr)
	}
	n, err := t.wanted(w.Author, c)
	if err == nil && len(w.Seal) > 0 {
		_, err = t.next(w.motion())
	}
	if err != nil {
		return err
	}
	if err = t.fits(t.document, n); err != nil {
		return t.lie(w.Author, "it wants what no peer could go on with: %v", err)
	}
	return nil
}

// A Lie is an error about what a peer has signed, also if another one shows it.
type Lie struct {
	Place int // of the peer
	err   error
}

func (l *Lie) Error() string { return l.err.Error() }

// Unwrap returns an error that wraps [ErrRefused].
func (l *Lie) Unwrap() error { return l.err }

func (t *terms) lie(place int, format string, args ...any) error {
	return &Lie{place, refuse("%s: %s", t.document.Peers[place].Name, fmt.Sprintf(format, args...))}
}

func (w *Wish) motion() *Motion { return &Motion{Change: *w.Change, Author: w.Author, Sig: w.Seal} }

// wanted returns the document that a change makes, if a peer may want it and a new key agrees.
func (t *terms) wanted(author int, c *Change) (*Document, error) {
	n, err := t.document.Next(c)
	if err != nil {
		return nil, err
	}
	if author < 0 || author >= len(t.document.Peers) {
		return nil, refuse("a motion by peer %d", author)
	}
	a := &t.document.Peers[author]
	switch {
	case a.Standing != Present && (a.Standing != Invited || c.Kind != Join || a.Name != c.Peer):
		return nil, refuse("a motion by %s, which is %s", a.Name, a.Standing)
	case (c.Kind == Join || c.Kind == Rotate) && !t.keys.Verify(c.ID, c.proven(t.network), c.Proof):
		return nil, refuse("%s: the new key has not signed it", c.Kind)
	}
	return n, nil
}

// next returns the document that a motion makes, if its author has signed it.
func (t *terms) next(m *Motion) (*Document, error) {
	key := text(m)
	if n, ok := t.nexts[key]; ok {
		return n, nil
	}
	n, err := t.wanted(m.Author, &m.Change)
	if err != nil {
		return nil, err
	}
	if !t.by(m.Author, t.signedMotion(n.Hash()), m.Sig) {
		return nil, refuse("a motion that %s has not signed", t.document.Peers[m.Author].Name)
	}
	if len(t.nexts) >= maxNexts {
		clear(t.nexts)
	}
	t.nexts[key] = n
	return n, nil
}

// approval verifies an approval of a wish.
func (t *terms) approval(a *Approval, w *Wish) error {
	if w == nil || w.Change == nil || a.Number != w.Number {
		return refuse("an approval of what peer %d does not want", a.Author)
	}
	if !t.signs(a.Place) || !t.by(a.Place, signedWish("approve", t.network, w.Author, w.Number, w.Change), a.Sig) {
		return refuse("an approval that no signer has given")
	}
	return nil
}

// sealed verifies a sealed motion, and returns the hash of the document that it makes.
func (t *terms) sealed(s *Sealed) (next string, err error) {
	n, err := t.next(&s.Motion)
	if err != nil {
		return "", err
	}
	signed := signedWish("approve", t.network, s.Author, s.Number, &s.Change)
	return n.Hash(), t.enough(s.Approvals, func(Signature) []byte { return signed })
}
