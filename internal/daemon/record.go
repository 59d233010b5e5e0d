package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// A Record is the file of a folder's network document. A running peer and the operator's commands
// share it: each reads it again after the other has changed it.
type Record struct {
	path string
	id   gossip.Identity
	s    *config.Settings
	roll network.Roll // whom this process has heard

	mu   sync.Mutex
	read os.FileInfo   // of the file that book was read from
	book *network.Book // its content
	fork *network.Fork // that this process was shown last
}

// OpenRecord opens the record of the network document that settings name.
func OpenRecord(s *config.Settings, id gossip.Identity) (*Record, error) {
	r := &Record{path: s.NetworkPath(), id: id, s: s}
	return r, r.With(func(*network.Book) error { return nil })
}

// CreateRecord makes a record that does not exist yet.
func CreateRecord(path string, s network.State) error {
	if _, err := os.Lstat(path); err == nil {
		return config.Failf(config.ErrUnexpected, "%s already exists", path)
	}
	b, err := json.Marshal(s)
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
	is, err := os.Stat(r.path)
	if err != nil {
		return config.Failf(config.ErrRefused, "network document: %w", err)
	}
	if r.book == nil || !os.SameFile(is, r.read) || !is.ModTime().Equal(r.read.ModTime()) {
		c := network.Config{Keys: documentKeys{r.id}, ID: r.id.ID(), Keep: r.keep, Fits: r.fits, Roll: &r.roll}
		if r.book, err = config.OpenDocument(r.path, c); err != nil {
			return err
		}
		r.read = is
	}
	return do(r.book)
}

// Hear lets this process sign when the running peer of the folder may: once that one has heard enough others, or all except
// some. A folder that was restored does not know what its peer has signed since; if its peer does not run, no other has been heard.
func (r *Record) Hear(ctx context.Context, without []string) (running bool, err error) {
	status, wrong := AskStatus(ctx, r.s.Dir)
	running = wrong == nil
	return running, r.With(func(b *network.Book) error {
		d := b.Newest()
		for _, name := range without {
			if _, ok := d.Place(name); !ok {
				return config.Failf(config.ErrUsage, "--without: there is no peer %.70q", name)
			}
		}
		var heard []int
		for i, p := range d.Peers {
			if running && !slices.Contains(status.DocumentAwaits, p.Name) || slices.Contains(without, p.Name) {
				heard = append(heard, i)
			}
		}
		r.roll.Add(heard)
		return nil
	})
}

// Rekey continues with a new key of this peer.
func (r *Record) Rekey(id gossip.Identity) error {
	r.mu.Lock()
	r.id, r.book = id, nil
	r.mu.Unlock()
	return r.With(func(*network.Book) error { return nil })
}

func (r *Record) keep(s network.State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err = writeDurably(r.path, b); err == nil {
		r.read, err = os.Stat(r.path)
	}
	return err
}

// fits refuses a document with which this peer could not continue.
func (r *Record) fits(was, is *network.Document) error {
	return r.s.CheckChange(config.NetworkOf(was), config.NetworkOf(is))
}

// Fork returns the fork that this process was shown last, or nil.
func (r *Record) Fork() *network.Fork {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fork
}

// Newest returns the newest document.
func (r *Record) Newest() (d *network.Document, err error) {
	err = r.With(func(b *network.Book) error {
		d = b.Newest()
		return nil
	})
	return d, err
}

// Summary implements [gossip.Document].
func (r *Record) Summary() (s []byte, err error) {
	err = r.With(func(b *network.Book) error {
		s = b.Summary()
		return nil
	})
	return s, err
}

// Lacks implements [gossip.Document].
func (r *Record) Lacks(summary []byte) (frames [][]byte, err error) {
	err = r.With(func(b *network.Book) error {
		frames, err = b.Lacks(summary)
		return blame(err)
	})
	return frames, err
}

// Merge implements [gossip.Document].
func (r *Record) Merge(frames [][]byte) error {
	return r.With(func(b *network.Book) error {
		err := b.Merge(frames)
		if errors.As(err, &r.fork) || r.fork != nil && errors.Is(err, network.ErrRefused) && !errors.As(err, new(*network.Lie)) {
			return nil // both ends go on with what they have; what follows another version is no fault of a peer
		}
		return blame(err)
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
