package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// documentKeys signs network documents and verifies their signatures.
type documentKeys struct{ id gossip.Identity }

func (k documentKeys) Sign(b []byte) ([]byte, error) { return k.id.Sign(network.Domain, b) }

func (k documentKeys) Verify(id string, b, sig []byte) bool {
	return gossip.Verify(id, network.Domain, b, sig)
}

// Keys returns the signer and verifier of network documents for a key.
func Keys(id gossip.Identity) network.Keys { return documentKeys{id} }

// Signs returns the function with which a key signs parts of network documents.
func Signs(id gossip.Identity) func(b []byte) ([]byte, error) { return documentKeys{id}.Sign }

// A Record is the file of a folder's network document. A running peer and the operator's commands
// share it: each reads it again after the other has changed it.
type Record struct {
	path string
	id   gossip.Identity
	s    *config.Settings
	roll network.Roll // whom this process has heard

	mu   sync.Mutex
	text []byte        // of the file
	book *network.Book // its content
	hash string        // hash of its first version
}

// OpenRecord opens the record of the network document that settings name.
func OpenRecord(s *config.Settings, id gossip.Identity) (*Record, error) {
	r := &Record{path: s.NetworkPath(), id: id, s: s}
	return r, r.With(func(*network.Book) error { return nil })
}

// CreateRecord makes a record that does not exist yet.
func CreateRecord(path string, r network.Record) error {
	if _, err := os.Lstat(path); err == nil {
		return config.Failf(config.ErrUnexpected, "%s already exists", path)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeDurably(path, b)
}

// With calls do with the book, exclusively.
func (r *Record) With(do func(b *network.Book) error) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := flock.New(r.path + ".lock")
	if err = l.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	if err = leave(l.Path()); err != nil {
		return err
	}
	text, err := os.ReadFile(r.path)
	if err != nil {
		return config.Failf(config.ErrRefused, "network document: %w", err)
	}
	if !bytes.Equal(text, r.text) || r.book == nil {
		var record network.Record
		r.book = nil
		if err = json.Unmarshal(text, &record); err != nil {
			return config.DamagedNetwork(r.path, err)
		}
		r.hash = record.First.Hash()
		if r.book, err = network.Open(network.Config{
			Keys: documentKeys{r.id}, ID: r.id.ID(), Keep: r.keep, Fits: r.fits, Roll: &r.roll,
		}, record); err != nil {
			r.book = nil
			return config.Failf(config.ErrRefused, "%s: %w", r.path, err)
		}
		r.text = text
	}
	return do(r.book)
}

// Rekey continues with a new key of this peer.
func (r *Record) Rekey(id gossip.Identity) error {
	r.mu.Lock()
	r.id, r.book = id, nil
	r.mu.Unlock()
	return r.With(func(*network.Book) error { return nil })
}

func (r *Record) keep(record network.Record) error {
	b, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if err = writeDurably(r.path, b); err == nil {
		r.text = b
	}
	return err
}

// fits refuses a version with which this peer could not continue.
func (r *Record) fits(was, is *network.Document) error {
	return r.s.CheckChange(config.NetworkOf(r.hash, was), config.NetworkOf(r.hash, is))
}

// Fork returns the proof that the network's signers lie, if this peer was shown one, or nil.
func (r *Record) Fork() (f *network.Fork) {
	_ = r.With(func(b *network.Book) error { // an error is nothing about forks, and others report it
		f = b.Record().Fork
		return nil
	})
	return f
}

// Newest returns the newest version, and the hash of the first.
func (r *Record) Newest() (d *network.Document, first string, err error) {
	err = r.With(func(b *network.Book) error {
		d, first = b.Newest(), b.At(1).Hash()
		return nil
	})
	return d, first, err
}

// Show implements [gossip.Document].
func (r *Record) Show() (b []byte, err error) {
	err = r.With(func(book *network.Book) error {
		b, err = json.Marshal(book.Record().State)
		return err
	})
	return b, err
}

// Merge implements [gossip.Document].
func (r *Record) Merge(b []byte) error {
	theirs, err := network.ParseState(b)
	if err != nil {
		return blame(err)
	}
	return r.With(func(book *network.Book) error {
		return blame(book.Merge(theirs))
	})
}

// blame marks an error that is the fault of the peer that showed a document, or of another that signed what it shows. Other errors, such
// as of the disk, are this peer's own.
func blame(err error) error {
	if lie := new(network.Lie); errors.As(err, &lie) {
		return &gossip.Lie{Of: protocol.Peer(lie.Place), Err: err}
	}
	if errors.Is(err, network.ErrRefused) {
		return fmt.Errorf("%w: %w", gossip.ErrDocument, err)
	}
	return err
}

// writeDurably writes a file completely or not at all, and waits until it is on disk under its
// name.
func writeDurably(path string, b []byte) error {
	if err := renameio.WriteFile(path, b, 0o600); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
