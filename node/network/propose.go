package network

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrWaits is wrapped by the error of a signer that has to hear others before it signs.
var ErrWaits = errors.New("this peer signs once it has heard others")

// Propose signs a change as the next version, which others may have to sign, too. A signer signs one version with a number. With again
// it signs another one: then both can become versions, if other signers do the same.
func (b *Book) Propose(c Change, again bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := Step{Number: b.chain.d.Version + 1, Parent: b.chain.head(), By: b.self(), Change: c}
	for i := range b.s.Proposals {
		if mine := b.s.Proposals[i].step(); mine.By == x.By {
			x.Try = mine.Try + 1
		}
	}
	return b.sign(Version{Text: encode(&x)}, again)
}

// Sign signs the proposal that has a hash, as [Book.Proposed] returns it; see [Book.Propose].
func (b *Book) Sign(hash string, again bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	named := slices.DeleteFunc(slices.Clone(b.s.Proposals), func(v Version) bool { return v.Hash()[:12] != hash })
	if len(named) != 1 { // two signers can make two versions whose hashes begin alike
		return refuse("%d versions %.20q are proposed, want one: see `peerd network show`", len(named), hash)
	}
	return b.sign(named[0], again)
}

// sign signs a version that follows the newest one.
func (b *Book) sign(v Version, again bool) error {
	x, m := v.step(), b.s.Signed
	if s := b.chain.d.SignerAt(b.self()); s == nil || s.ID != b.c.ID {
		return refuse("this peer does not sign versions: run the command at %s", strings.Join(b.chain.d.signers(), " or "))
	}
	if x.Change.Kind == Invite {
		if place, ok := b.newest.Place(x.Change.Peer); ok && !b.unjoined(place) {
			return refuse("%s: there is a peer %s, or was one: choose another name", x.Change.Kind, x.Change.Peer)
		}
	}
	if err := b.check(&x.Change, len(v.Text)); err != nil {
		return err
	}
	if names := b.awaits(); len(names) > 0 {
		return fmt.Errorf("%w: %s", ErrWaits, strings.Join(names, ", "))
	}
	if m != nil && m.Number == x.Number && m.Hash != v.Hash() && !again {
		return refuse("this peer has signed %.12s as version %d, which waits for other signers. If it signs a second one, both can become version %d, and the network splits: with --again, if the operators have dropped the first one", m.Hash, m.Number, m.Number)
	}
	sig, err := b.c.Keys.Sign(v.signed())
	if err != nil {
		return err
	}
	return b.update(func(s *State) error {
		s.Signed = &Mark{x.Number, v.Hash(), b.c.ID}
		return b.propose(s, v.with(Signature{b.self(), sig}))
	})
}

// unjoined reports whether a place was made for an invitation with which, as far as this peer knows, nobody has joined.
func (b *Book) unjoined(place int) bool {
	root, err := begin(b.s.Root)
	return err == nil && place >= len(root.d.Peers) && b.records[place] == nil
}

// check returns why a change cannot come now, in a version with some bytes of text.
func (b *Book) check(c *Change, text int) error {
	if size := b.chain.size(text); text > maxText || b.chain.room+size > Room {
		return refuse("%s takes %d bytes, of at most %d; all versions take %d of %d", c.Kind, text, maxText, b.chain.room, Room)
	}
	next := b.chain.clone()
	if err := next.d.apply(c); err != nil {
		return err
	}
	return b.fits(next.view(b.records))
}

// propose takes a proposal over, or signatures of one. With enough it is the next version.
func (b *Book) propose(s *State, v Version) error {
	x := v.step()
	if x.Number != b.chain.d.Version+1 || x.Parent != b.chain.head() {
		return errSame // it is behind, or ahead
	}
	if _, err := b.chain.verify(&v, b.c.Keys); err != nil {
		return err
	}
	if v.has(b.self()) && (s.Signed == nil || s.Signed.Number < x.Number) {
		s.Signed = &Mark{x.Number, v.Hash(), b.c.ID} // it did so before it was restored
	}
	if err := b.check(&x.Change, len(v.Text)); err != nil {
		return b.chain.lie(x.By, "it proposes what no peer could go on with: %v", err)
	}
	all := slices.Clone(s.Proposals)
	at, known := slices.BinarySearchFunc(all, x.By, func(o Version, by int) int { return o.step().By - by })
	if !known {
		all = slices.Insert(all, at, v)
	} else if old := all[at].step(); all[at].Hash() == v.Hash() {
		if v = all[at].with(v.Sigs...); len(v.Sigs) == len(all[at].Sigs) {
			return errSame
		}
	} else if x.Try == old.Try {
		return b.chain.lie(x.By, "it proposes two versions %d at once", x.Number)
	} else if x.Try < old.Try {
		return errSame
	}
	all[at] = v
	if s.Proposals = all; len(v.Sigs) >= b.chain.d.Quorum() {
		return b.advance(s, v)
	}
	return nil
}

// advance appends versions, up to the first that is against the rules.
func (b *Book) advance(s *State, all ...Version) (err error) {
	next, records, n := b.chain.clone(), b.records, 0
	for ; n < len(all); n++ {
		var x Step
		if x, err = next.extend(&all[n], b.c.Keys); err != nil {
			break
		}
		if id := x.Change.ID; id != "" { // the signers say that the key is another peer's, or that nobody joined with the invitation before
			records = maps.Clone(records)
			maps.DeleteFunc(records, func(place int, r *said) bool {
				return slices.Contains(r.ids, id) || r.peer.Name != next.d.Peers[place].Name
			})
		}
	}
	if n > 0 {
		b.chain, b.records, b.newest = next, records, next.view(records)
		s.keepRecords(records)
		s.Versions, s.Proposals = append(slices.Clip(s.Versions), all[:n]...), nil
	}
	return err
}

// A Proposed is a proposal of the next version.
type Proposed struct {
	Hash     string   `json:"hash"` // of 12 hexadecimal digits
	By       string   `json:"by"`   // name of the signer that proposes it
	Change   Change   `json:"change"`
	Signed   []string `json:"signed"`   // names of the signers that have signed
	Unsigned []string `json:"unsigned"` // names of those that have not signed yet
}

// Proposed returns the proposals, by the places of the signers that made them.
func (b *Book) Proposed() []Proposed {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := []Proposed{}
	for i := range b.s.Proposals {
		v, x := &b.s.Proposals[i], b.s.Proposals[i].step()
		p := Proposed{Hash: v.Hash()[:12], By: b.newest.Peers[x.By].Name, Change: x.Change}
		for _, name := range b.chain.d.signers() {
			if place, _ := b.chain.d.Place(name); v.has(place) {
				p.Signed = append(p.Signed, name)
			} else {
				p.Unsigned = append(p.Unsigned, name)
			}
		}
		all = append(all, p)
	}
	return all
}
