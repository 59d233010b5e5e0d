package network

import (
	"cmp"
	"slices"
)

// An Agreement is what is known of the way to the version after the newest. Everything in it is
// signed, and of each peer there is only the newest.
type Agreement struct {
	Wishes    []Wish     `json:"wishes,omitempty"`    // by author
	Approvals []Approval `json:"approvals,omitempty"` // by signer and author
	Promises  []Promise  `json:"promises,omitempty"`  // by signer
	Proposal  *Proposal  `json:"proposal,omitempty"`
	Accepts   []Mark     `json:"accepts,omitempty"` // by signer
	Lock      *Lock      `json:"lock,omitempty"`
	Votes     []Mark     `json:"votes,omitempty"` // by signer
}

// merge adds what another peer's agreement has that is newer, and ignores what is against the
// rules, about which it returns an error.
func (t *terms) merge(a, theirs *Agreement) (wrong error) {
	n, peers := len(t.signers), len(t.document.Peers)
	if len(theirs.Wishes) > peers || len(theirs.Approvals) > n*peers || max(len(theirs.Promises), len(theirs.Accepts), len(theirs.Votes)) > n {
		return refuse("more wishes or signatures than %d peers have", peers)
	}
	for _, w := range theirs.Wishes {
		old := wishOf(a, w.Author)
		twin := old != nil && w.Number == old.Number && text(w.Change) != text(old.Change)
		if old != nil && !twin && w.compare(old) <= 0 {
			continue
		}
		if err := t.wish(&w); err != nil {
			wrong = err
			continue
		}
		if twin {
			wrong = t.lie(w.Author, "it wants %v and %v under one number: it lies, or its folder was restored from a backup", old.Change, w.Change)
		}
		if !twin || w.compare(old) > 0 {
			a.putWish(w)
		}
	}
	for _, x := range theirs.Approvals {
		w, shown := wishOf(a, x.Author), wishOf(theirs, x.Author)
		if a.approves(x.Place, x.Author) || w == nil || shown != nil && shown.compare(w) < 0 {
			continue // they do not know of the newest wish
		}
		if err := t.approval(&x, w); err != nil {
			wrong = err
			continue
		}
		a.Approvals = append(slices.Clone(a.Approvals), x)
		slices.SortFunc(a.Approvals, func(x, y Approval) int { return cmp.Or(x.Author-y.Author, x.Place-y.Place) })
	}
	var err error
	if a.Promises, err = newer(a.Promises, theirs.Promises, placeOfPromise, t.promise); err != nil {
		wrong = err
	}
	if a.Accepts, err = newer(a.Accepts, theirs.Accepts, placeOfMark, t.accept); err != nil {
		wrong = err
	}
	if a.Votes, err = newer(a.Votes, theirs.Votes, placeOfMark, t.vote); err != nil {
		wrong = err
	}
	if x := theirs.Proposal; x != nil && (a.Proposal == nil || x.Round > a.Proposal.Round) {
		if err = t.proposal(x); err == nil {
			a.Proposal = x
		} else {
			wrong = err
		}
	}
	if x := theirs.Lock; x != nil && (a.Lock == nil || x.Round > a.Lock.Round) {
		if _, err = t.lock(x); err == nil {
			a.Lock = x
		} else {
			wrong = err
		}
	}
	return wrong
}

// after returns what of an agreement goes on when a version has come: wishes that can still be
// met, without their seals, and their approvals. Signatures by keys that were replaced end.
func (a *Agreement) after(was, is *terms) (rest Agreement) {
	same := func(place int) bool { return was.document.Peers[place].ID == is.document.Peers[place].ID }
	for _, w := range a.Wishes {
		w.Seal = nil
		if same(w.Author) && is.wish(&w) == nil {
			rest.Wishes = append(rest.Wishes, w)
		}
	}
	for _, x := range a.Approvals {
		if w := wishOf(&rest, x.Author); w != nil && same(x.Place) && is.approval(&x, w) == nil {
			rest.Approvals = append(rest.Approvals, x)
		}
	}
	return rest
}

// react makes one of the steps that follow from a record, and reports whether it made one.
func (b *Book) react(r *Record) (bool, error) {
	t, a := b.terms, &r.Agreement
	if s := t.decided(a); s != nil {
		return true, b.advance(r, *s)
	}
	if l := t.locked(a); l != nil {
		a.Lock = l
		return true, nil
	}
	if b.self < 0 {
		return false, nil
	}
	for _, step := range []func(*Record) (bool, error){b.wish, b.approve, b.seal, b.vote, b.accept, b.propose} {
		if did, err := step(r); did || err != nil {
			return did, err
		}
	}
	return false, nil
}

// decided returns the step for which a quorum has voted.
func (t *terms) decided(a *Agreement) *Step {
	if a.Lock == nil || len(a.Votes) < t.quorum {
		return nil
	}
	n, err := t.next(&a.Lock.Motion)
	if err != nil {
		return nil
	}
	round, all := quorum(t, a.Votes, n.Hash())
	if all == nil {
		return nil
	}
	return &Step{Motion: a.Lock.Motion, Ballot: Ballot{round, t.owner(round)}, Votes: all}
}

// locked returns a lock of the proposal, if it is new and a quorum has accepted it.
func (t *terms) locked(a *Agreement) *Lock {
	x := a.Proposal
	if x == nil || a.Lock != nil && a.Lock.Round >= x.Round {
		return nil
	}
	n, err := t.next(&x.Sealed.Motion)
	if err != nil {
		return nil
	}
	round, all := quorum(t, a.Accepts, n.Hash())
	if all == nil || round != x.Round {
		return nil
	}
	return &Lock{Round: round, Motion: x.Sealed.Motion, Accepts: all}
}

// quorum returns the signatures of a quorum for a document in one round; nil if there are too few.
func quorum(t *terms, all []Mark, next string) (round uint64, sigs []Signature) {
	for _, m := range all {
		sigs = nil
		for _, other := range all {
			if other.Round == m.Round && other.Next == next {
				sigs = append(sigs, Signature{other.Place, other.Sig})
			}
		}
		if len(sigs) >= t.quorum {
			return m.Round, sigs
		}
	}
	return 0, nil
}

// wish shows the first change that this peer wants.
func (b *Book) wish(r *Record) (bool, error) {
	mine := wishOf(&r.Agreement, b.self)
	w := Wish{Author: b.self}
	if len(r.Wanted) > 0 {
		w.Change = &r.Wanted[0]
	}
	switch {
	case mine == nil && w.Change == nil, mine != nil && (len(mine.Seal) > 0 || text(mine.Change) == text(w.Change)):
		return false, nil
	case mine != nil:
		r.Number = max(r.Number, mine.Number)
	}
	r.Number++
	w.Number = r.Number
	var err error
	w.Sig, err = b.keys.Sign(signedWish("wish", b.terms.network, w.Author, w.Number, w.Change))
	r.Agreement.putWish(w)
	return true, err
}

// approve approves this peer's own wish, and what concerns only the peer that wants it.
func (b *Book) approve(r *Record) (bool, error) {
	if !b.terms.signs(b.self) {
		return false, nil
	}
	for i := range r.Agreement.Wishes {
		w := &r.Agreement.Wishes[i]
		if w.Change == nil || len(w.Seal) > 0 || r.Agreement.approves(b.self, w.Author) || w.Author != b.self && !b.own(r, w) || b.check(w.Change) != nil {
			continue
		}
		return true, b.sign(r, w)
	}
	return false, nil
}

// maxOwn is how many versions a peer can make with changes that concern only itself. More of them
// need operators, so that one peer cannot fill the document.
const maxOwn = 64

// own reports whether a wish concerns only the peer that has it.
func (b *Book) own(r *Record, w *Wish) bool {
	if !w.Change.Own() || b.newest().Peers[w.Author].Name != w.Change.Peer {
		return false
	}
	made := 0
	for i := range r.Steps {
		if r.Steps[i].Motion.Author == w.Author {
			made++
		}
	}
	return made < maxOwn
}

// sign adds this peer's approval of a wish.
func (b *Book) sign(r *Record, w *Wish) (err error) {
	x := Approval{Place: b.self, Author: w.Author, Number: w.Number}
	if x.Sig, err = b.keys.Sign(signedWish("approve", b.terms.network, w.Author, w.Number, w.Change)); err != nil {
		return err
	}
	return b.terms.merge(&r.Agreement, &Agreement{Approvals: []Approval{x}})
}

// seal seals this peer's wish once enough signers have approved it.
func (b *Book) seal(r *Record) (bool, error) {
	w := wishOf(&r.Agreement, b.self)
	if w == nil || w.Change == nil || len(w.Seal) > 0 || !b.roll.met(b.newest(), b.self) && len(b.awaits()) > 0 || len(r.Agreement.approvals(w)) < b.terms.quorum {
		return false, nil
	}
	n, err := b.terms.wanted(b.self, w.Change)
	if err != nil {
		return false, nil //nolint:nilerr // it cannot be met any more
	}
	sealed := *w
	if sealed.Seal, err = b.keys.Sign(b.terms.signedMotion(n.Hash())); err != nil {
		return false, err
	}
	r.Agreement.putWish(sealed)
	return true, nil
}

// round returns the newest round in which this peer has signed; 0 for none.
func (b *Book) round(a *Agreement) uint64 { return roundOf(a, b.self) }

// vote votes for a lock.
func (b *Book) vote(r *Record) (bool, error) {
	t, a := b.terms, &r.Agreement
	if a.Lock == nil || !b.acts() || a.Lock.Round < b.round(a) {
		return false, nil
	}
	if v := find(a.Votes, b.self, placeOfMark); v != nil && v.Round >= a.Lock.Round {
		return false, nil
	}
	n, err := t.next(&a.Lock.Motion)
	if err != nil {
		return false, err
	}
	v := Mark{Place: b.self, Round: a.Lock.Round, Next: n.Hash()}
	v.Sig, err = b.keys.Sign(t.signedVote(Ballot{v.Round, t.owner(v.Round)}, v.Next))
	a.Votes = put(a.Votes, v, placeOfMark)
	return true, err
}

// accept accepts the proposal, unless this peer is in a later round, has accepted in this one, or
// could not go on with the version.
func (b *Book) accept(r *Record) (bool, error) {
	t, a := b.terms, &r.Agreement
	x := a.Proposal
	if x == nil || !b.acts() || x.Round < b.round(a) {
		return false, nil
	}
	if m := find(a.Accepts, b.self, placeOfMark); m != nil && m.Round >= x.Round {
		return false, nil
	}
	n, err := t.next(&x.Sealed.Motion)
	if err != nil || b.fits(t.document, n) != nil {
		return false, nil //nolint:nilerr // this peer does not accept it
	}
	m := Mark{Place: b.self, Round: x.Round, Next: n.Hash()}
	m.Sig, err = b.keys.Sign(t.signedAccept(m.Round, m.Next))
	a.Accepts = put(a.Accepts, m, placeOfMark)
	return true, err
}

// propose proposes a motion if this peer owns its round: the newest lock's, or one that is sealed
// and approved.
func (b *Book) propose(r *Record) (bool, error) {
	t, a := b.terms, &r.Agreement
	round := max(1, b.round(a))
	if !b.acts() || t.owner(round) != b.self || a.Proposal != nil && a.Proposal.Round >= round {
		return false, nil
	}
	x := Proposal{Round: round}
	if l := a.Lock; l != nil && l.Round < round {
		x.Lock, x.Sealed.Motion = l, l.Motion
	} else if fit := slices.DeleteFunc(a.sealed(t), func(s Sealed) bool { return b.check(&s.Change) != nil }); l == nil && len(fit) > 0 {
		x.Sealed = fit[round%uint64(len(fit))] // another one in the next round, as others may not accept this one
	} else {
		return false, nil
	}
	if round > 1 {
		for _, p := range a.Promises {
			if p.Round == round && (p.Locked == 0 || x.Lock != nil && p.Locked <= x.Lock.Round) {
				x.Basis = append(x.Basis, p)
			}
		}
		if len(x.Basis) < t.quorum {
			return false, nil
		}
	}
	n, err := t.next(&x.Sealed.Motion)
	if err != nil {
		return false, nil //nolint:nilerr // it cannot be met any more
	}
	x.Sig, err = b.keys.Sign(t.signedProposal(round, n.Hash()))
	a.Proposal = &x
	return true, err
}

// goOn promises to go on to the next round.
func (b *Book) goOn(r *Record) (err error) {
	a := &r.Agreement
	p := Promise{Place: b.self, Round: max(1, b.round(a)) + 1}
	if a.Lock != nil {
		p.Locked = a.Lock.Round
		p.Round = max(p.Round, p.Locked+1) // a peer that could not act before has not voted for it yet
	}
	if p.Sig, err = b.keys.Sign(b.terms.signedPromise(p.Round, p.Locked)); err == nil {
		a.Promises = put(a.Promises, p, placeOfPromise)
	}
	return err
}

// Ticks that a signer waits in a round.
const (
	waitFirst = 6  // at least
	waitMore  = 4  // for each round before
	waitMost  = 40 // rounds that make it longer
)

// ahead reports whether more others are in later rounds than may lie, and whether one of them is in
// the next round.
func (b *Book) ahead(a *Agreement) (far, next bool) {
	t := b.terms
	mine, n := max(1, b.round(a)), len(t.signers)
	var later []uint64
	for _, place := range t.signers {
		if round := roundOf(a, place); place != b.self && round > mine {
			later = append(later, round)
		}
	}
	return len(later) > min(t.document.Liars(), n-t.quorum), slices.Contains(later, mine+1)
}

// wait counts a tick in a round, and reports whether the peer should go on to the next one.
func (b *Book) wait(a *Agreement) bool {
	if !b.acts() || a.Proposal == nil && a.Lock == nil && len(a.Promises) == 0 && len(a.sealed(b.terms)) == 0 {
		b.waited = 0
		return false
	}
	round := max(1, b.round(a))
	if b.waitedIn != round {
		b.waitedIn, b.waited = round, 0
	}
	b.waited++
	far, next := b.ahead(a)
	if far {
		return next || b.waited > waitFirst
	}
	return uint64(b.waited) > waitFirst+waitMore*min(round-1, waitMost)
}

// acts reports whether this peer takes part in the agreement.
func (b *Book) acts() bool { return len(b.awaits()) == 0 && b.terms.signs(b.self) }
