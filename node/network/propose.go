package network

import (
	"encoding/json"
	"errors"
	"slices"
)

// sign signs what this peer's operators want, and reports whether it did anything.
func (b *Book) sign(s *State) (more bool, err error) {
	if len(s.Wanted)+len(s.Agreed) == 0 || !b.signs() || len(b.roll.awaits(b.newest, b.self(), s.Without)) > 0 {
		return false, nil
	}
	if len(s.Agreed) > 0 {
		a := s.Agreed[0]
		s.Agreed = s.Agreed[1:]
		if i := slices.IndexFunc(s.Proposals, func(v Version) bool { return v.Hash() == a.Hash }); i >= 0 {
			return true, b.signVersion(s, s.Proposals[i], a.Again)
		}
		return true, nil
	}
	w, x := s.Wanted[0], Step{Number: b.chain.d.Version + 1, Parent: b.chain.head(), By: b.self()}
	for i := range s.Proposals {
		var mine Step
		if _ = json.Unmarshal(s.Proposals[i].Text, &mine); mine.By == x.By { // it was verified
			if x.Try = mine.Try + 1; string(encode(&mine.Change)) == string(encode(&w.Change)) {
				return false, nil
			}
		}
	}
	if b.check(&w.Change) != nil {
		s.Wanted = s.Wanted[1:] // it has become impossible
		return true, nil
	}
	x.Change = w.Change
	v := Version{Text: encode(&x)}
	if !s.mayVote(x.Number, v.Hash(), w.Again) {
		return false, nil
	}
	return true, b.signVersion(s, v, w.Again)
}

// mayVote reports whether a signer may sign a version.
func (s *State) mayVote(number uint64, hash string, again bool) bool {
	return s.Signed == nil || s.Signed.Number < number || s.Signed.Number == number && (s.Signed.Hash == hash || again)
}

// signVersion signs a version that follows the newest one.
func (b *Book) signVersion(s *State, v Version, again bool) error {
	if !s.mayVote(b.chain.d.Version+1, v.Hash(), again) {
		return nil
	}
	sig, err := b.keys.Sign(v.signed())
	if err != nil {
		return err
	}
	s.Signed = &Mark{b.chain.d.Version + 1, v.Hash()}
	if err = b.propose(s, v.with(Signature{b.self(), sig})); errors.Is(err, errSame) || errors.Is(err, ErrRefused) {
		return nil // it has become impossible
	}
	return err
}

// propose takes a proposal over, or signatures of one. With enough it is the next version.
func (b *Book) propose(s *State, v Version) error {
	var x, old Step
	if err := read(v.Text, &x); err != nil {
		return err
	}
	if x.Number != b.chain.d.Version+1 || x.Parent != b.chain.head() {
		return errSame // it is behind, or ahead
	}
	if _, err := v.step(b.chain.d, b.chain.head(), b.keys); err != nil {
		return err
	}
	if err := b.check(&x.Change); err != nil {
		return b.chain.lie(x.By, "it proposes what no peer could go on with: %v", err)
	}
	if x.Try > maxNumber {
		return b.chain.lie(x.By, "it proposes for the time %d", x.Try)
	}
	at := slices.IndexFunc(s.Proposals, func(o Version) bool {
		_ = json.Unmarshal(o.Text, &old) // it was verified
		return old.By == x.By
	})
	all := slices.Clone(s.Proposals)
	switch {
	case at < 0:
		at = len(all)
		all = append(all, v)
	case all[at].Hash() == v.Hash():
		both := all[at].with(v.Sigs...)
		if len(both.Sigs) == len(all[at].Sigs) {
			return errSame
		}
		all[at] = both
	case x.Try < old.Try:
		return errSame
	case x.Try == old.Try:
		return b.chain.lie(x.By, "it proposes two versions %d at once", x.Number)
	default:
		all[at] = v
	}
	if s.Proposals = all; len(all[at].Sigs) >= b.chain.d.Quorum() {
		return b.advance(s, all[at])
	}
	return nil
}

// advance appends versions.
func (b *Book) advance(s *State, all ...Version) (err error) {
	next, n, again := b.chain.clone(), 0, false
	for ; n < len(all) && err == nil; n++ {
		var x *Step
		if x, err = next.extend(&all[n], b.keys); err != nil {
			break
		}
		again = again || x.Change.Kind == Rotate || x.Change.Kind == Remove
	}
	if n == 0 {
		return err
	}
	if again { // records have other meanings
		records := s.Records
		s.Records = nil
		b.records = make(map[int]*said)
		for _, r := range records {
			if place, x, wrong := next.hear(r, nil); wrong == nil {
				b.records[place] = x
				s.Records = append(s.Records, r)
			}
		}
	}
	b.chain, b.newest = next, next.view(b.records)
	s.Versions = append(slices.Clip(s.Versions), all[:n]...)
	s.Proposals, s.Agreed, s.Without = nil, nil, nil
	done := func(w Wanted) bool { return b.chain.d.SignerAt(b.self()) == nil || b.check(&w.Change) != nil }
	s.Wanted = slices.DeleteFunc(slices.Clone(s.Wanted), done)
	return err
}
