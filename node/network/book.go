package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// A State is what a book holds, in the form in which it is kept.
type State struct {
	Root      json.RawMessage `json:"root"`                // the first [Document]
	Versions  []Version       `json:"versions"`            // that follow it
	Records   []Record        `json:"records"`             // the newest of each place that signed one, by place
	Proposals []Version       `json:"proposals,omitempty"` // of the next version, the newest of each signer

	// The rest is not shown to other peers.

	Signed *Mark  `json:"signed,omitempty"` // the newest version that this peer has signed
	Fork   *Fork  `json:"fork,omitempty"`   // the first that it was shown since the newest version, and since the peer started
	Twins  []Twin `json:"twins,omitempty"`  // the first of each place
}

// A Mark says that a signer has signed a version.
type Mark struct {
	Number uint64 `json:"number"`
	Hash   string `json:"hash"`
}

// A Fork is two versions of one number and parent that both have enough signatures. Each peer keeps to the one that it knew first.
type Fork struct {
	Version uint64   `json:"version"`
	Ours    string   `json:"ours"`   // hash of the version that this peer keeps to
	Theirs  string   `json:"theirs"` // hash of the other one
	Both    []string `json:"both"`   // names of the signers that signed both
}

func (f *Fork) Error() string {
	return fmt.Sprintf("two versions %d of the network have enough signatures, %.12s and %.12s; both are signed by %s: see docs/network.md#two-versions",
		f.Version, f.Ours, f.Theirs, strings.Join(f.Both, ", "))
}

// A Twin is the proof that a place has signed two records of which no honest peer signs both: they have one number, or two keys
// follow one. This peer keeps to the one that it knew first.
type Twin struct {
	Peer   string `json:"peer"`
	Theirs Record `json:"theirs"`
}

func (t *Twin) String() string {
	return t.Peer + " has signed two records of one number, or two keys that follow one: its addresses or key can differ from site to site. Let it sign a newer one, or remove it"
}

// A Book is one peer's copy of a network document, and its part in it. It is safe for concurrent use.
type Book struct {
	keys Keys
	id   string
	keep func(State) error
	fits func(was, is *Document) error
	roll *Roll

	mu      sync.Mutex
	s       State
	chain   *chain
	records map[int]*said
	newest  *Document
}

// Config is what a Book needs.
type Config struct {
	Keys Keys
	ID   string            // of this peer's key
	Keep func(State) error // makes a state durable; nothing of it is shown before
	// Fits returns an error for a document with which this peer could not continue; nil accepts all. It must not call the book.
	Fits func(was, is *Document) error
	// Roll is whom this peer has heard since it started. Until that is enough, it signs no version, unless it is the only peer that
	// is present. Nil for enough.
	Roll *Roll
}

// Open verifies a state.
func Open(c Config, s State) (b *Book, err error) {
	b = &Book{keys: c.Keys, id: c.ID, keep: c.Keep, fits: c.Fits, roll: c.Roll, records: make(map[int]*said)}
	if b.fits == nil {
		b.fits = func(_, _ *Document) error { return nil }
	}
	if b.chain, err = begin(s.Root); err != nil {
		return nil, err
	}
	for i := range s.Versions {
		if _, err = b.chain.extend(&s.Versions[i], c.Keys); err != nil {
			return nil, fmt.Errorf("version %d: %w", i+2, err)
		}
	}
	for _, r := range s.Records {
		place, x, err := b.chain.hear(r, c.Keys)
		if err != nil {
			return nil, err
		}
		b.records[place] = x
	}
	b.s, b.newest = s, b.chain.view(b.records)
	return b, nil
}

// Newest returns the newest version, with what the places have said of themselves. It must not be changed.
func (b *Book) Newest() *Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest
}

// State returns the state, which must not be changed.
func (b *Book) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.s
}

// Head returns the number and the hash of the newest version, and how many of [Room] bytes all versions take.
func (b *Book) Head() (number uint64, hash string, room int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.chain.d.Version, b.chain.head(), b.chain.room
}

// self returns this peer's place; -1 if its key has none.
func (b *Book) self() int {
	if i, former, ok := b.newest.PlaceOf(b.id); ok && !former {
		return i
	}
	return -1
}

func (b *Book) signs() bool {
	s := b.chain.d.SignerAt(b.self())
	return s != nil && s.ID == b.id
}

// Awaits returns the names of the peers that this peer has to hear before it signs a version; none if it does not sign.
func (b *Book) Awaits() (names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.awaits()
}

func (b *Book) awaits() (names []string) {
	if b.signs() {
		for _, place := range b.roll.awaits(b.newest, b.self()) {
			names = append(names, b.newest.Peers[place].Name)
		}
	}
	return names
}

// Forget forgets a fork. A peer does so when it starts: if others still have the other version, it is shown again.
func (b *Book) Forget() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.update(func(s *State) error {
		if s.Fork == nil {
			return errSame
		}
		s.Fork = nil
		return nil
	})
}

// check returns why a change cannot come now.
func (b *Book) check(c *Change) error {
	if n := len(encode(&Step{Number: maxNumber, Parent: b.chain.head(), By: maxPeers, Try: maxNumber, Change: *c})); n > maxText {
		return refuse("%s: a version of %d bytes, at most %d", c.Kind, n, maxText)
	}
	if room := b.chain.room + len(encode(c)) + maxSigners*maxSig*2; room > Room {
		return refuse("the document is full: its versions take %d of %d bytes", b.chain.room, Room)
	}
	next := *b.chain
	next.d = b.chain.d.clone()
	if err := next.d.apply(c); err != nil {
		return err
	}
	records := b.records
	if c.Kind == Remove || c.Kind == Rotate {
		_, records = next.rehear(records)
	}
	return b.fits(b.newest, next.view(records))
}

// A Proposed is a proposal of the next version.
type Proposed struct {
	Hash     string   `json:"hash"` // of 12 hexadecimal digits
	By       string   `json:"by"`   // name of the signer that proposes it
	Change   *Change  `json:"change"`
	Signed   []string `json:"signed"`   // names of the signers that have signed
	Unsigned []string `json:"unsigned"` // names of those that have not signed yet
}

// Proposed returns the proposals, by the places of the signers that made them.
func (b *Book) Proposed() (all []Proposed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all = []Proposed{}
	for i := range b.s.Proposals {
		v := &b.s.Proposals[i]
		s := v.read()
		p := Proposed{Hash: v.Hash()[:12], By: b.newest.Peers[s.By].Name, Change: &s.Change, Signed: []string{}, Unsigned: []string{}}
		for _, x := range b.chain.d.Signers {
			if place, _ := b.chain.d.Place(x.Name); v.has(place) {
				p.Signed = append(p.Signed, x.Name)
			} else {
				p.Unsigned = append(p.Unsigned, x.Name)
			}
		}
		all = append(all, p)
	}
	return all
}

// update changes the state and keeps the result. After an error nothing has changed; [errSame] is none.
func (b *Book) update(change func(s *State) error) error {
	s, chain, records, newest := b.s, b.chain, b.records, b.newest
	err := change(&s)
	if err == nil {
		err = b.keep(s)
	}
	if err == nil {
		b.s = s
		return nil
	}
	if b.chain, b.records, b.newest = chain, records, newest; errors.Is(err, errSame) {
		return nil
	}
	return err
}

// errSame is returned by a change of the state that changes nothing.
var errSame = errors.New("the same")
