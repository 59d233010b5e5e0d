package network

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A State is what peers show each other: the versions so far, and the way to the next one.
type State struct {
	First     Document  `json:"first"`
	Steps     []Step    `json:"steps"`
	Agreement Agreement `json:"agreement"`
}

// A Record is a state with what this peer does not show.
type Record struct {
	State
	Wanted  []Change `json:"wanted,omitempty"`  // changes that this peer wants, one after the other
	Number  uint64   `json:"number,omitempty"`  // of this peer's last wish
	Without []string `json:"without,omitempty"` // names of peers that it need not hear before it signs for the next version
	Fork    *Fork    `json:"fork,omitempty"`    // the first that it was shown
}

// A Fork is the proof that more signers lie than the document allows for: two documents of one
// version that both have the votes of a quorum. This peer keeps to the one that it knew first.
type Fork struct {
	Version uint64   `json:"version"`
	Ours    string   `json:"ours"`   // hash of the document that this peer keeps to
	Theirs  string   `json:"theirs"` // hash of the other one
	Both    []string `json:"both"`   // names of the signers that voted for both
}

func (f *Fork) Error() string {
	return fmt.Sprintf("two documents of version %d have enough votes, %.12s and %.12s; both have votes of %s: see docs/network.md",
		f.Version, f.Ours, f.Theirs, strings.Join(f.Both, ", "))
}

// A Book is one peer's record of a network, and its part in the agreement. It is safe for
// concurrent use.
type Book struct {
	keys Keys
	id   string
	keep func(Record) error
	fits func(was, is *Document) error

	mu        sync.Mutex
	r         Record
	kept      string      // r as text
	documents []*Document // by version, from 1
	terms     *terms      // of the version after the newest
	self      int         // this peer's place; -1 if it has none
	roll      *Roll
	waited    int    // ticks in a round
	waitedIn  uint64 // that round
}

// Config is what a Book needs.
type Config struct {
	Keys Keys
	ID   string             // of this peer's key
	Keep func(Record) error // makes a record durable; nothing of it is shown before
	// Fits returns an error for a version with which this peer could not continue; nil accepts
	// all. It must not call the book.
	Fits func(was, is *Document) error
	// Roll is whom this peer has heard since it started. Until that is enough, the book takes no
	// part in the agreement, unless it is the only peer that is present. Nil for enough.
	Roll *Roll
}

// Open verifies a record.
func Open(c Config, r Record) (*Book, error) {
	b := &Book{keys: c.Keys, id: c.ID, keep: c.Keep, fits: c.Fits, roll: c.Roll}
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
	b.extend(&first)
	for i := range r.Steps {
		d, err := b.terms.step(&r.Steps[i])
		if err != nil {
			return nil, fmt.Errorf("version %d: %w", i+2, err)
		}
		b.extend(d)
	}
	kept := r.Agreement
	r.Agreement = Agreement{}
	_ = b.terms.merge(&r.Agreement, &kept) // without what another build or another folder has left
	b.r, b.kept = r, text(&r)
	return b, nil
}

// extend appends a version.
func (b *Book) extend(d *Document) {
	b.documents = append(b.documents[:len(b.documents):len(b.documents)], d)
	b.settle()
}

// settle finds this peer's place in the newest version, and its terms.
func (b *Book) settle() {
	b.terms = newTerms(b.keys, b.documents[0].Hash(), b.newest(), b.fits)
	b.self = -1
	if i, former, ok := b.newest().PlaceOf(b.id); ok && !former {
		b.self = i
	}
}

func (b *Book) newest() *Document { return b.documents[len(b.documents)-1] }

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

// Awaits returns the names of the peers that this peer has to hear before it takes part in the agreement.
func (b *Book) Awaits() (names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, place := range b.awaits() {
		names = append(names, b.newest().Peers[place].Name)
	}
	return names
}

func (b *Book) awaits() []int { return b.roll.awaits(b.newest(), b.self, b.r.Without) }

// Signs reports whether this peer is one of the signers.
func (b *Book) Signs() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.terms.signs(b.self)
}

// DoWithout lets this peer sign for the next version although it has not heard the peers with some names. If the folder was
// restored from a backup, and one of them has seen what this peer has signed since, there can be two documents of one version.
func (b *Book) DoWithout(names []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		if place, ok := b.newest().Place(name); !ok || b.newest().Peers[place].Standing != Present || place == b.self {
			return refuse("no other peer %.70q is present", name)
		}
	}
	return b.update(func(r *Record) error {
		r.Without = names
		return nil
	})
}

// check returns why a change cannot come now.
func (b *Book) check(c *Change) error {
	n, err := b.newest().Next(c)
	if err == nil {
		err = b.fits(b.newest(), n)
	}
	return err
}

// Wish makes this peer want a change until the next version contains it, or another version makes
// it impossible.
func (b *Book) Wish(c Change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.self < 0 {
		return refuse("this peer has no place in the network")
	}
	if err := b.check(&c); err != nil {
		return err
	}
	return b.update(func(r *Record) error {
		if slices.ContainsFunc(r.Wanted, func(w Change) bool { return text(&w) == text(&c) }) {
			return nil
		}
		at := len(r.Wanted)
		if c.Own() && c.Peer == b.newest().Peers[b.self].Name {
			at = 0 // it does not wait for a person
		}
		r.Wanted = slices.Insert(slices.Clone(r.Wanted), at, c)
		return nil
	})
}

// Withdraw ends this peer's wishes. It returns an error about one that is sealed: enough signers
// have approved it, and it is being voted on.
func (b *Book) Withdraw() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.update(func(r *Record) error {
		r.Wanted = nil
		return nil
	})
	if w := wishOf(&b.r.Agreement, b.self); err == nil && w != nil && len(w.Seal) > 0 {
		err = refuse("%v: enough signers have signed it, and it is being voted on: it can still become the next version", w.Change)
	}
	return err
}

// A Proposed is a change that a peer wants.
type Proposed struct {
	Hash     string   `json:"hash"` // of 12 hexadecimal digits
	By       string   `json:"by"`   // name of the peer that wants it
	Change   *Change  `json:"change"`
	Signed   []string `json:"signed"`   // names of the signers that approve
	Unsigned []string `json:"unsigned"` // names of those that have not approved yet
	Sealed   bool     `json:"sealed"`   // it is being voted on
}

// Proposed returns the changes that peers want, by the places of the peers.
func (b *Book) Proposed() (all []Proposed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	peers := b.newest().Peers
	all = []Proposed{}
	for i := range b.r.Agreement.Wishes {
		w := &b.r.Agreement.Wishes[i]
		if w.Change == nil {
			continue
		}
		p := Proposed{Hash: w.Hash(b.terms.network), By: peers[w.Author].Name, Change: w.Change, Signed: []string{}, Unsigned: []string{}, Sealed: len(w.Seal) > 0}
		for _, place := range b.terms.signers {
			if b.r.Agreement.approves(place, w.Author) {
				p.Signed = append(p.Signed, peers[place].Name)
			} else {
				p.Unsigned = append(p.Unsigned, peers[place].Name)
			}
		}
		all = append(all, p)
	}
	return all
}

// Approve approves the change that has a hash, as [Book.Proposed] returns it.
func (b *Book) Approve(hash string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.self < 0 || !b.terms.signs(b.self) {
		return refuse("this peer does not sign changes")
	}
	for i := range b.r.Agreement.Wishes {
		w := &b.r.Agreement.Wishes[i]
		if w.Change == nil || w.Hash(b.terms.network) != hash {
			continue
		}
		if err := b.check(w.Change); err != nil {
			return err
		}
		if b.r.Agreement.approves(b.self, w.Author) {
			return nil
		}
		return b.update(func(r *Record) error { return b.sign(r, w) })
	}
	return refuse("no peer wants a change %.20q: see `peerd network show`", hash)
}

// Tick makes this peer go on to another round if it has waited too long in one. It must be called
// regularly, about once a second.
func (b *Book) Tick() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.update(func(r *Record) error {
		if b.wait(&r.Agreement) {
			return b.goOn(r)
		}
		return nil
	})
}

// Merge merges what another peer's book shows. It ignores what is against the rules, and returns an error about it. That is a [*Fork]
// if there are two documents of one version, and a [*Lie] if it is not the fault of the peer that shows it.
func (b *Book) Merge(theirs *State) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if theirs.First.Hash() != b.documents[0].Hash() {
		return refuse("another network")
	}
	known := len(b.r.Steps)
	for i := range min(known, len(theirs.Steps)) {
		if text(&theirs.Steps[i].Motion.Change) != text(&b.r.Steps[i].Motion.Change) {
			return b.fork(i, &theirs.Steps[i])
		}
	}
	var wrong error
	err := b.update(func(r *Record) error {
		for i := known; i < len(theirs.Steps); i++ {
			if wrong = b.advance(r, theirs.Steps[i]); wrong != nil {
				return nil
			}
		}
		if len(theirs.Steps) == len(r.Steps) {
			wrong = b.terms.merge(&r.Agreement, &theirs.Agreement)
		}
		return nil
	})
	if lie := new(Lie); errors.As(wrong, &lie) && lie.Place == b.self { // of an earlier life of this folder
		wrong = nil
	}
	return cmp.Or(err, wrong)
}

// fork returns an error about a step that differs from this peer's, and keeps it if it is valid.
func (b *Book) fork(i int, theirs *Step) error {
	t := newTerms(b.keys, b.documents[0].Hash(), b.documents[i], b.fits)
	d, err := t.step(theirs)
	if err != nil || d.Hash() == b.documents[i+1].Hash() {
		return refuse("version %d does not follow", i+2)
	}
	f := &Fork{Version: d.Version, Ours: b.documents[i+1].Hash(), Theirs: d.Hash()}
	for _, v := range b.r.Steps[i].Votes {
		if slices.ContainsFunc(theirs.Votes, func(w Signature) bool { return w.Place == v.Place }) {
			f.Both = append(f.Both, b.documents[i].Peers[v.Place].Name)
		}
	}
	if b.r.Fork == nil {
		err = b.update(func(r *Record) error {
			r.Fork = f
			return nil
		})
	}
	if err != nil {
		return err
	}
	return f
}

// advance makes the next version the newest.
func (b *Book) advance(r *Record, s Step) error {
	d, err := b.terms.step(&s)
	if err != nil {
		return err
	}
	was := b.terms
	b.extend(d)
	r.Steps = append(slices.Clone(r.Steps), s)
	r.Agreement, r.Without = r.Agreement.after(was, b.terms), nil
	done := text(&s.Motion.Change)
	r.Wanted = slices.DeleteFunc(slices.Clone(r.Wanted), func(w Change) bool {
		return text(&w) == done || b.check(&w) != nil
	})
	if b.self < 0 { // it has left, or it still has its former key until it is opened with the new one
		r.Wanted = nil
	}
	return nil
}

// update changes the record, makes the steps that follow from the change, and keeps the result.
// After an error nothing has changed.
func (b *Book) update(change func(r *Record) error) error {
	r, documents := b.r, b.documents
	err := change(&r)
	for more := err == nil; more && err == nil; {
		more, err = b.react(&r)
	}
	kept := b.kept
	if err == nil {
		if kept = text(&r); kept != b.kept {
			err = b.keep(r)
		}
	}
	if err != nil {
		if len(documents) != len(b.documents) {
			b.documents = documents
			b.settle()
		}
		return err
	}
	b.r, b.kept = r, kept
	return nil
}
