package network

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// A State is what peers show each other: the versions so far, and the vote on the next one.
type State struct {
	First    Document  `json:"first"`
	Steps    []Step    `json:"steps"`
	Asked    Ballot    `json:"asked"` // the highest that was asked for
	Promises []Promise `json:"promises,omitempty"`
	Proposal *Proposal `json:"proposal,omitempty"` // of the highest ballot
	Votes    []Vote    `json:"votes,omitempty"`    // the highest of each signer
}

// A Record is a state with what this peer does not show.
type Record struct {
	State
	Wishes   []Change `json:"wishes,omitempty"`   // changes that this peer moves, one after the other
	Approved []string `json:"approved,omitempty"` // changes for which its operator approved a vote
}

// A Book is one peer's record of a network, and its part in the votes. It is safe for concurrent
// use.
type Book struct {
	keys Keys
	id   string
	keep func(Record) error
	fits func(was, is *Document) error
	rand *rand.Rand

	mu        sync.Mutex
	r         Record
	documents []*Document // by version, from 1
	self      int         // this peer's place; -1 if it has none
	pause     int         // ticks before a new ballot is asked for
	watched   Ballot      // the ballot for which pause was set
}

// Config is what a Book needs.
type Config struct {
	Keys Keys
	ID   string             // of this peer's key
	Keep func(Record) error // makes a record durable; nothing of it is shown before
	Rand *rand.Rand         // for pauses between ballots
	// Fits returns an error for a version with which this peer could not continue; nil accepts
	// all. It must not call the book.
	Fits func(was, is *Document) error
}

// Open verifies a record.
func Open(c Config, r Record) (*Book, error) {
	b := &Book{keys: c.Keys, id: c.ID, keep: c.Keep, fits: c.Fits, rand: c.Rand}
	if b.fits == nil {
		b.fits = func(_, _ *Document) error { return nil }
	}
	first := r.First.clone()
	if first.Version != 1 || first.Before != "" {
		return nil, refuse("version %d as the first", first.Version)
	}
	if err := first.Check(); err != nil {
		return nil, err
	}
	b.documents = []*Document{&first}
	for i := range r.Steps {
		d, err := b.terms().step(&r.Steps[i])
		if err != nil {
			return nil, fmt.Errorf("version %d: %w", i+2, err)
		}
		b.documents = append(b.documents, d)
	}
	if !r.asks(r.Asked) { // believed by an earlier build
		r.Asked = Ballot{}
	}
	b.r = r
	b.place()
	return b, nil
}

// place finds this peer's place.
func (b *Book) place() {
	b.self = -1
	if i, former, ok := b.newest().PlaceOf(b.id); ok && !former {
		b.self = i
	}
}

func (b *Book) newest() *Document { return b.documents[len(b.documents)-1] }

func (b *Book) terms() *terms {
	return newTerms(b.keys, b.documents[0].Hash(), b.newest())
}

// Newest returns the newest version, which must not be changed.
func (b *Book) Newest() *Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest()
}

// At returns a version, which must not be changed; nil if it is not known.
func (b *Book) At(version uint64) *Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	if version < 1 || version > uint64(len(b.documents)) {
		return nil
	}
	return b.documents[version-1]
}

// Record returns the record, which must not be changed.
func (b *Book) Record() Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.r
}

// Wish makes this peer move a change until the next version contains it, or another version makes
// it impossible.
func (b *Book) Wish(c Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.self < 0 {
		return refuse("this peer has no place in the network")
	}
	n, err := b.newest().Next(&c)
	if err == nil {
		err = b.fits(b.newest(), n)
	}
	if err != nil {
		return err
	}
	return b.update(func(r *Record) error {
		if slices.ContainsFunc(r.Wishes, func(w Change) bool { return text(&w) == text(&c) }) {
			return nil
		}
		at := len(r.Wishes)
		if c.Own() && c.Peer == b.newest().Peers[b.self].Name {
			at = 0 // it does not wait for a person
		}
		r.Wishes = slices.Insert(slices.Clone(r.Wishes), at, c)
		return nil
	})
}

// Withdraw ends this peer's wishes. A change for which others have voted in the meantime can
// still become the next version.
func (b *Book) Withdraw() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.update(func(r *Record) error {
		r.Wishes = nil
		return nil
	})
}

// Approve makes this peer vote for a change, whichever peer moves it.
func (b *Book) Approve(c Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.update(func(r *Record) error {
		r.Approved = append(slices.Clone(r.Approved), text(&c))
		return nil
	})
}

// Tick asks for a ballot if this peer has a wish and no other ballot makes progress. It must be
// called regularly.
func (b *Book) Tick() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.self < 0 || len(b.r.Wishes) == 0 || b.underway() {
		return nil
	}
	if b.watched != b.r.Asked {
		b.watched, b.pause = b.r.Asked, 0
		if b.r.Asked.Round > 0 {
			b.pause = 3 + b.rand.IntN(8)
		}
	}
	if b.pause > 0 {
		b.pause--
		return nil
	}
	return b.update(func(r *Record) error {
		if next := (Ballot{r.shown() + 1, b.self}); next.compare(r.Asked) > 0 {
			r.Asked = next
		}
		return nil
	})
}

// shown returns the highest round that signatures show. A request for a ballot is not signed, so one of more than one round
// above is ignored: it could be so high that none can follow.
func (r *Record) shown() (round uint64) {
	for _, p := range r.Promises {
		round = max(round, p.Ballot.Round)
	}
	for _, v := range r.Votes {
		round = max(round, v.Ballot.Round)
	}
	return round
}

// asks reports whether a ballot may be asked for.
func (r *Record) asks(x Ballot) bool {
	round := r.shown()
	return x.Round <= round || x.Round-round == 1
}

// underway reports whether the newest ballot is this peer's, for its present wish.
func (b *Book) underway() bool {
	r := &b.r
	if r.Asked.Round == 0 || r.Asked.Place != b.self {
		return false
	}
	for _, p := range r.Promises {
		if p.Ballot.compare(r.Asked) > 0 {
			return false
		}
	}
	return r.Proposal == nil || r.Proposal.Ballot != r.Asked || text(&r.Proposal.Motion.Change) == text(&r.Wishes[0])
}

// Merge merges what another peer's book shows. It ignores what is against the rules, and returns
// an error about it. It reports whether anything was new.
func (b *Book) Merge(theirs *State) (news bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if theirs.First.Hash() != b.documents[0].Hash() {
		return false, refuse("another network")
	}
	before := b.r
	known := len(b.r.Steps)
	for i := range min(known, len(theirs.Steps)) {
		if text(&theirs.Steps[i].Motion.Change) == text(&b.r.Steps[i].Motion.Change) {
			continue
		}
		t := newTerms(b.keys, b.documents[0].Hash(), b.documents[i])
		if d, wrong := t.step(&theirs.Steps[i]); wrong == nil && d.Hash() != b.documents[i+1].Hash() {
			return false, refuse("two documents of version %d have a majority: a signer has broken its promise", d.Version)
		}
		return false, refuse("version %d does not follow", i+2)
	}
	var wrong error
	err = b.update(func(r *Record) error {
		for i := known; i < len(theirs.Steps); i++ {
			if wrong = b.advance(r, theirs.Steps[i]); wrong != nil {
				return nil
			}
		}
		if len(theirs.Steps) == len(r.Steps) {
			wrong = b.mergeVote(r, theirs)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	return !equal(&before.State, &b.r.State), wrong
}

// advance makes the next version the newest.
func (b *Book) advance(r *Record, s Step) error {
	d, err := b.terms().step(&s)
	if err != nil {
		return err
	}
	b.documents = append(b.documents[:len(b.documents):len(b.documents)], d)
	r.Steps = append(slices.Clone(r.Steps), s)
	r.Asked, r.Promises, r.Proposal, r.Votes = Ballot{}, nil, nil, nil
	done := text(&s.Motion.Change)
	r.Wishes = slices.DeleteFunc(slices.Clone(r.Wishes), func(w Change) bool {
		_, err := d.Next(&w)
		return text(&w) == done || err != nil
	})
	r.Approved = slices.DeleteFunc(slices.Clone(r.Approved), func(a string) bool { return a == done })
	b.place()
	if b.self < 0 { // it has left, or it still has its former key until it is opened with the new one
		r.Wishes = nil
	}
	return nil
}

// mergeVote merges another peer's part of the vote on the next version.
func (b *Book) mergeVote(r *Record, theirs *State) (wrong error) {
	t := b.terms()
	for i := range theirs.Promises {
		p := &theirs.Promises[i]
		if old := find(r.Promises, p.Place); old != nil && p.Ballot.compare(old.Ballot) <= 0 {
			continue
		}
		if err := t.promise(p); err != nil {
			wrong = err
			continue
		}
		r.Promises = put(r.Promises, *p)
	}
	for i := range theirs.Votes {
		v := &theirs.Votes[i]
		if old := find(r.Votes, v.Place); old != nil && v.Ballot.compare(old.Ballot) <= 0 {
			continue
		}
		if err := t.vote(v); err != nil {
			wrong = err
			continue
		}
		r.Votes = put(r.Votes, *v)
	}
	if x := theirs.Asked; x.compare(r.Asked) > 0 && x.Place >= 0 && x.Place < len(t.document.Peers) {
		if r.asks(x) {
			r.Asked = x
		} else {
			wrong = refuse("ballot %d is asked for after %d", x.Round, r.shown())
		}
	}
	if x := theirs.Proposal; x != nil && (r.Proposal == nil || x.Ballot.compare(r.Proposal.Ballot) > 0) {
		if err := t.proposal(x); err != nil {
			return err
		}
		r.Proposal = x
	}
	return wrong
}

// update changes the record, makes the steps that follow from the change, and keeps the result.
// After an error nothing has changed.
func (b *Book) update(change func(r *Record) error) error {
	r, documents, self := b.r, b.documents, b.self
	err := change(&r)
	for more := err == nil; more && err == nil; {
		more, err = b.react(&r)
	}
	if err == nil && !equalRecords(&r, &b.r) {
		err = b.keep(r)
	}
	if err != nil {
		b.documents, b.self = documents, self
		return err
	}
	b.r = r
	return nil
}
