package network

import (
	"slices"
)

// react makes one of the steps that follow from a record, and reports whether it made one.
func (b *Book) react(r *Record) (bool, error) {
	t := b.terms()
	if s := t.decided(r); s != nil {
		return true, b.advance(r, *s)
	}
	if b.self < 0 {
		return false, nil
	}
	if t.signs(b.self) {
		if did, err := b.promise(t, r); did || err != nil {
			return did, err
		}
		if did, err := b.vote(t, r); did || err != nil {
			return did, err
		}
	}
	return b.propose(t, r)
}

// decided returns the step for which a majority has voted in one ballot.
func (t *terms) decided(r *Record) *Step {
	for _, v := range r.Votes {
		s := Step{Motion: v.Motion, Ballot: v.Ballot}
		for _, w := range r.Votes {
			if w.Ballot == v.Ballot && text(&w.Motion.Change) == text(&v.Motion.Change) {
				s.Votes = append(s.Votes, Signature{w.Place, w.Sig})
			}
		}
		if len(s.Votes) >= t.document.Majority() {
			return &s
		}
	}
	return nil
}

// promise makes a promise for the newest ballot that was asked for.
func (b *Book) promise(t *terms, r *Record) (bool, error) {
	if old := find(r.Promises, b.self); r.Asked.Round == 0 || old != nil && r.Asked.compare(old.Ballot) <= 0 {
		return false, nil
	}
	p := Promise{Place: b.self, Ballot: r.Asked, Voted: find(r.Votes, b.self)}
	var err error
	if p.Sig, err = b.keys.Sign(t.signedPromise(&p)); err != nil {
		return false, err
	}
	r.Promises = put(r.Promises, p)
	return true, nil
}

// vote votes for the proposal, unless a promise forbids it or this peer disagrees. A peer votes
// last for its own motion, so that a motion that others reject does not block theirs.
func (b *Book) vote(t *terms, r *Record) (bool, error) {
	x := r.Proposal
	if x == nil {
		return false, nil
	}
	promised, voted := find(r.Promises, b.self), find(r.Votes, b.self)
	if promised != nil && promised.Ballot.compare(x.Ballot) > 0 || voted != nil && voted.Ballot.compare(x.Ballot) >= 0 {
		return false, nil
	}
	n, err := t.next(&x.Motion)
	if err != nil || b.fits(t.document, n) != nil {
		return false, nil //nolint:nilerr // a motion that does not fit here gets no vote
	}
	c := &x.Motion.Change
	others := 0
	for _, v := range r.Votes {
		if v.Ballot == x.Ballot {
			others++
		}
	}
	switch own := x.Motion.Author == b.self; {
	case own && others+1 < t.document.Majority():
		return false, nil
	case own, c.Own() && t.document.Peers[x.Motion.Author].Name == c.Peer, slices.Contains(r.Approved, text(c)):
	default:
		return false, nil
	}
	v := Vote{Place: b.self, Ballot: x.Ballot, Motion: x.Motion}
	if v.Sig, err = b.keys.Sign(t.signedVote(x.Ballot, n.Hash())); err != nil {
		return false, err
	}
	r.Votes = put(r.Votes, v)
	return true, nil
}

// propose makes a proposal once a majority has promised for the ballot that this peer asked for.
func (b *Book) propose(t *terms, r *Record) (bool, error) {
	if r.Asked.Round == 0 || r.Asked.Place != b.self || r.Proposal != nil && r.Proposal.Ballot.compare(r.Asked) >= 0 {
		return false, nil
	}
	var free, all []Promise
	for _, p := range r.Promises {
		if p.Ballot != r.Asked {
			continue
		}
		all = append(all, p)
		if p.Voted == nil {
			free = append(free, p)
		}
	}
	x := Proposal{Ballot: r.Asked}
	switch majority := t.document.Majority(); {
	case len(free) >= majority && len(r.Wishes) > 0:
		n, err := t.document.Next(&r.Wishes[0])
		if err != nil {
			return false, err
		}
		x.Basis, x.Motion = free, Motion{Change: r.Wishes[0], Author: b.self}
		if x.Motion.Sig, err = b.keys.Sign(t.signedMotion(n.Hash())); err != nil {
			return false, err
		}
	default:
		for _, v := range newest(all) {
			basis := slices.DeleteFunc(slices.Clone(all), func(p Promise) bool {
				return p.Voted != nil && p.Voted.Ballot == v.Ballot && text(&p.Voted.Motion.Change) != text(&v.Motion.Change)
			})
			if len(basis) >= majority {
				x.Basis, x.Motion = basis, v.Motion
			}
		}
		if x.Basis == nil {
			return false, nil
		}
	}
	r.Proposal = &x
	return true, nil
}
