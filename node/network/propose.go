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

// Propose signs a change as the next version, and shows it to the other signers if they have to sign, too. A signer signs one version with a
// number. With again it signs another one: then both can become versions, if other signers do the same.
func (b *Book) Propose(c Change, again bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := Step{Number: b.chain.d.Version + 1, Parent: b.chain.head(), By: b.self(), Change: c}
	for _, v := range b.s.Proposals {
		if mine := v.read(); mine.By == x.By {
			x.Try = mine.Try + 1
		}
	}
	if err := b.check(&c); err != nil {
		return err
	}
	return b.sign(Version{Text: encode(&x)}, again)
}

// Sign signs the proposal that has a hash, as [Book.Proposed] returns it; see [Book.Propose].
func (b *Book) Sign(hash string, again bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, v := range b.s.Proposals {
		if v.Hash()[:12] == hash {
			return b.sign(v, again)
		}
	}
	return refuse("no version %.20q is proposed: see `peerd network show`", hash)
}

// sign signs a version that follows the newest one.
func (b *Book) sign(v Version, again bool) error {
	number, hash := b.chain.d.Version+1, v.Hash()
	if !b.signs() {
		var names []string
		for _, s := range b.chain.d.Signers {
			names = append(names, s.Name)
		}
		return refuse("this peer does not sign versions: run the command at %s", strings.Join(names, " or "))
	}
	if names := b.awaits(); len(names) > 0 {
		return fmt.Errorf("%w: %s", ErrWaits, strings.Join(names, ", "))
	}
	if m := b.s.Signed; m != nil && m.Number == number && m.Hash != hash && !again {
		return refuse("this peer has signed %.12s as version %d, which waits for other signers. If it signs a second one, both can become version %d, and the network splits: with --again, if the operators have dropped the first one", m.Hash, number, number)
	}
	sig, err := b.keys.Sign(v.signed())
	if err != nil {
		return err
	}
	return b.update(func(s *State) error {
		s.Signed = &Mark{number, hash}
		return b.propose(s, v.with(Signature{b.self(), sig}))
	})
}

// propose takes a proposal over, or signatures of one. With enough it is the next version.
func (b *Book) propose(s *State, v Version) error {
	x := v.read()
	if x.Number != b.chain.d.Version+1 || x.Parent != b.chain.head() {
		return errSame // it is behind, or ahead
	}
	if _, err := v.step(b.chain.d, b.chain.head(), b.keys); err != nil {
		return err
	}
	if v.has(b.self()) && (s.Signed == nil || s.Signed.Number < x.Number) {
		s.Signed = &Mark{x.Number, v.Hash()} // it did so before it was restored
	}
	if err := b.check(&x.Change); err != nil {
		return b.chain.lie(x.By, "it proposes what no peer could go on with: %v", err)
	}
	if x.Try > maxNumber {
		return b.chain.lie(x.By, "it proposes for the time %d", x.Try)
	}
	all := slices.Clone(s.Proposals)
	at, known := slices.BinarySearchFunc(all, x.By, func(o Version, by int) int { return o.read().By - by })
	if known {
		switch old := all[at].read(); {
		case all[at].Hash() == v.Hash():
			if v = all[at].with(v.Sigs...); len(v.Sigs) == len(all[at].Sigs) {
				return errSame
			}
		case x.Try < old.Try:
			return errSame
		case x.Try == old.Try:
			return b.chain.lie(x.By, "it proposes two versions %d at once", x.Number)
		}
		all[at] = v
	} else {
		all = slices.Insert(all, at, v)
	}
	if s.Proposals = all; len(v.Sigs) >= b.chain.d.Quorum() {
		return b.advance(s, v)
	}
	return nil
}

// advance appends versions, up to the first that is against the rules.
func (b *Book) advance(s *State, all ...Version) (err error) {
	next, n, again := b.chain.clone(), 0, false
	for ; n < len(all); n++ {
		x, wrong := next.extend(&all[n], b.keys)
		if err = wrong; err != nil {
			break
		}
		again = again || x.Change.Kind == Rotate || x.Change.Kind == Remove || x.Change.Kind == Invite && b.newest.hasID(x.Change.ID)
	}
	if n == 0 {
		return err
	}
	if again { // records have other meanings
		s.Records, b.records = next.rehear(b.records)
	}
	b.chain, b.newest = next, next.view(b.records)
	s.Versions, s.Proposals, s.Fork = append(slices.Clip(s.Versions), all[:n]...), nil, nil
	return err
}

// rehear returns the records that still hold after versions that change what records mean.
func (c *chain) rehear(all map[int]*said) (hold []Record, records map[int]*said) {
	records = make(map[int]*said)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		if _, x, err := c.hear(all[place].Record, nil); err == nil {
			records[place] = x
			hold = append(hold, x.Record)
		}
	}
	return hold, records
}
