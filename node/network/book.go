package network

import (
	"encoding/json"
	"errors"
	"sync"
)

// A State is what a book holds, in the form in which it is kept.
type State struct {
	Root      json.RawMessage `json:"root"`                // the first [Document]
	Versions  []Version       `json:"versions"`            // that follow it
	Records   []Record        `json:"records"`             // the newest of each place that signed one, by place
	Proposals []Version       `json:"proposals,omitempty"` // of the next version, the newest of each signer, by place
	Signed    *Mark           `json:"signed,omitempty"`    // the newest version that this peer has signed; not shown to others
}

// A Mark says that a signer has signed a version.
type Mark struct {
	Number uint64 `json:"number"`
	Hash   string `json:"hash"`
	By     string `json:"by,omitempty"` // id of the key that signed it
}

// A Book is one peer's copy of a network document, and its part in it. It is safe for concurrent use.
type Book struct {
	c Config

	mu      sync.Mutex
	s       State
	chain   *chain
	records map[int]*said
	newest  *Document
	summary []byte // nil if it is not computed
}

// Config is what a Book needs.
type Config struct {
	Keys Keys              // nil verifies and signs nothing
	ID   string            // of this peer's key
	Keep func(State) error // makes a state durable; nothing of it is shown before
	// Fits returns an error for a document with which this peer could not continue; nil accepts all. It must not call the book.
	Fits func(was, is *Document) error
	// Roll is whom this peer has heard since it started. Until that is enough, it signs no version. Nil for enough.
	Roll *Roll
}

// Open verifies a state.
func Open(c Config, s State) (b *Book, err error) {
	b = &Book{c: c, s: s, records: make(map[int]*said)}
	if b.chain, err = begin(s.Root); err != nil {
		return nil, err
	}
	for i := range s.Versions {
		if _, err = b.chain.extend(&s.Versions[i], c.Keys); err != nil {
			return nil, err
		}
	}
	for _, r := range s.Records {
		place, x, err := b.chain.hear(r, c.Keys)
		if err != nil {
			return nil, err
		}
		if _, twice := other(b.records, -1, x.ids); twice {
			return nil, refuse("two records with a key of %s", x.peer.Name)
		}
		b.records[place] = x
	}
	b.newest = b.chain.view(b.records)
	if m := s.Signed; m != nil && m.By != "" && m.By != c.ID {
		b.s.Signed = nil // the file was another peer's
	}
	if b.s.Proposals = nil; c.Keys != nil {
		for _, v := range s.Proposals {
			_ = b.propose(&b.s, v) // this marks what the peer has signed, and leaves out what others would refuse
		}
	}
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

// Head returns the hash of the newest version, and how many of [Room] bytes all versions take.
func (b *Book) Head() (hash string, room int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.chain.head(), b.chain.room
}

// Awaits returns the names of the peers that this peer has to hear before it signs a version; none if it does not sign.
func (b *Book) Awaits() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.awaits()
}

func (b *Book) awaits() []string {
	if s := b.chain.d.SignerAt(b.self()); s == nil || s.ID != b.c.ID {
		return nil
	}
	return b.c.Roll.awaits(b.newest, b.self())
}

// self returns this peer's place; -1 if its key has none.
func (b *Book) self() int {
	if i, former, ok := b.newest.PlaceOf(b.c.ID); ok && !former {
		return i
	}
	return -1
}

// fits returns why this peer could not go on with a document.
func (b *Book) fits(is *Document) error {
	if b.c.Fits == nil {
		return nil
	}
	return b.c.Fits(b.newest, is)
}

// update changes the state and keeps the result. After an error nothing has changed; [errSame] is none.
func (b *Book) update(change func(s *State) error) error {
	s, chain, records, newest := b.s, b.chain, b.records, b.newest
	err := change(&s)
	if err == nil {
		err = b.c.Keep(s)
	}
	if err == nil {
		b.s, b.summary = s, nil
		return nil
	}
	if b.chain, b.records, b.newest = chain, records, newest; errors.Is(err, errSame) {
		return nil
	}
	return err
}

// errSame is returned by a change of the state that changes nothing.
var errSame = errors.New("the same")
