// Package store keeps what must survive a crash: tables of bytes in one embedded
// database, written in atomic batches.
//
// Every write is synced. The writer of a table decides what it holds; this package
// knows only the form of a key.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Table is a part of the store. Its number is part of the format.
type Table byte

// The tables.
const (
	Meta     Table = 1 // a few words of its own
	Log      Table = 2 // inputs, by step
	Snapshot Table = 3 // the newest state
	Ledger   Table = 4 // records, by number
	Outbox   Table = 5 // frames to be sent, by step
	Decision Table = 6 // by id
	Due      Table = 7 // decisions whose reward is to be taken in, by round
	Past     Table = 8 // decisions to be forgotten, by round
	Subject  Table = 9 // decisions of each subject
	Peer     Table = 10
)

const (
	formatVersion = 1
	versionKey    = "format"
	memTable      = 4 << 20
	cache         = 32 << 20 // for blocks that are read; filled as needed
	filterBits    = 10       // a key, so that few blocks are read without need
	checkEvery    = 64 << 10 // bytes written between two looks at the free space
	minReserve    = 1 << 20
	numLevels     = len(pebble.Options{}.Levels)
)

// DefaultReserve is how much disk space stays free, in bytes.
const DefaultReserve = 64 << 20

var (
	// ErrFull is returned while the disk has less free space than the reserve, or than half of it.
	ErrFull = errors.New("the disk is full")
	// ErrVersion is returned for a store of a newer peerd.
	ErrVersion = errors.New("the store was written by a newer version of peerd")
)

// Options describes a Store.
type Options struct {
	FS       vfs.FS // nil for the operating system's
	Reserve  uint64 // bytes of disk to leave free; at most an eighth of the disk is
	ReadOnly bool
	// Fatal is called, from any goroutine, when a write or a sync has failed. The content
	// of the disk is then unknown, so nothing may be acknowledged any more: Fatal must
	// not return. Nil ends the process with code 74.
	Fatal  func(error)
	Logger *slog.Logger
	// Observe, if set, is called with the time that each batch that is not quiet took to become durable.
	Observe func(time.Duration)
}

// ExitIO is the code with which a process ends whose disk failed (EX_IOERR of
// sysexits.h).
const ExitIO = 74

// A Store is safe for concurrent use.
type Store struct {
	db      *pebble.DB
	dir     string
	fs      vfs.FS
	fatal   func(error)
	observe func(time.Duration)
	reserve uint64
	free    atomic.Int64 // bytes that may be written before the next look
	low     atomic.Bool
	full    atomic.Bool

	reserved atomic.Int64 // bytes; see [Batch.Reserve]
}

// Open opens the store in dir, which it creates if there is none. It leaves a store
// of another version alone.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{dir: dir, fs: o.FS, fatal: o.Fatal, observe: o.Observe, reserve: o.Reserve}
	if s.observe == nil {
		s.observe = func(time.Duration) {}
	}
	if s.fs == nil {
		s.fs = vfs.Default
	}
	if s.fatal == nil {
		s.fatal = func(err error) {
			_, _ = fmt.Fprintf(os.Stderr, "peerd: the disk failed: %v; nothing was acknowledged after that. Check the disk of %s before starting again\n", err, dir)
			os.Exit(ExitIO)
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := s.fs.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var err error
	s.db, err = pebble.Open(dir, &pebble.Options{
		FS: watched{s.fs, s.fatal}, ReadOnly: o.ReadOnly,
		FormatMajorVersion: pebble.FormatTableFormatV6,
		MemTableSize:       memTable,
		CacheSize:          cache,
		Levels:             levels(),
		Logger:             &logger{o.Logger, s},
	})
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", dir, err)
	}
	if err := s.checkVersion(o.ReadOnly); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.look()
	return s, nil
}

// levels gives tables filters, since most lookups are for new ids that are not there, and
// leaves tables uncompressed: their values are small and hardly repeat.
func levels() (all [numLevels]pebble.LevelOptions) {
	for i := range all {
		all[i].FilterPolicy = bloom.FilterPolicy(filterBits)
		all[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	return all
}

func (s *Store) checkVersion(readOnly bool) error {
	v, err := s.Get(Meta, []byte(versionKey))
	switch {
	case err != nil:
		return err
	case v == nil && readOnly:
		return fmt.Errorf("store %s: holds nothing", s.dir)
	case v == nil:
		b := s.Batch()
		b.Set(Meta, []byte(versionKey), []byte{formatVersion})
		return b.Commit()
	case len(v) != 1 || v[0] > formatVersion:
		return fmt.Errorf("store %s: %w (format %x, this one knows %d)", s.dir, ErrVersion, v, formatVersion)
	}
	return nil
}

// Close closes the store. Nothing may be under way.
func (s *Store) Close() error { return s.db.Close() }

// Get returns a value, or nil if there is none.
func (s *Store) Get(t Table, key []byte) ([]byte, error) {
	var room [64]byte
	v, closer, err := s.db.Get(append(append(room[:0], byte(t)), key...))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	out := append([]byte{}, v...)
	return out, closer.Close()
}

// A KV is a key and its value. Both are valid until the next step of the scan.
type KV struct{ Key, Value []byte }

// Scan returns the keys and values of a table in the order of their keys, from a key and
// below another; nil is the end of the table. A scan sees the store as it was at its
// beginning.
func (s *Store) Scan(t Table, from, below []byte) iter.Seq2[KV, error] {
	return func(yield func(KV, error) bool) {
		o := &pebble.IterOptions{LowerBound: append([]byte{byte(t)}, from...), UpperBound: []byte{byte(t) + 1}}
		if below != nil {
			o.UpperBound = append([]byte{byte(t)}, below...)
		}
		it, err := s.db.NewIter(o)
		if err != nil {
			yield(KV{}, fmt.Errorf("store: %w", err))
			return
		}
		defer func() { _ = it.Close() }() // its error is reported below
		for ok := it.First(); ok; ok = it.Next() {
			v, err := it.ValueAndErr()
			if err != nil {
				yield(KV{}, fmt.Errorf("store: %w", err))
				return
			}
			if !yield(KV{it.Key()[1:], v}, nil) {
				return
			}
		}
		if err := it.Error(); err != nil {
			yield(KV{}, fmt.Errorf("store: %w", err))
		}
	}
}

// Last returns the greatest key of a table with its value; ok is false for an empty table.
func (s *Store) Last(t Table) (kv KV, ok bool, err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{byte(t)}, UpperBound: []byte{byte(t) + 1}})
	if err != nil {
		return kv, false, fmt.Errorf("store: %w", err)
	}
	if it.Last() {
		kv, ok = KV{append([]byte{}, it.Key()[1:]...), append([]byte{}, it.Value()...)}, true
	}
	return kv, ok, it.Close()
}

// Low reports whether there was too little room for anything new at the last look: less than the
// reserve was free. What was promised room can still be written.
func (s *Store) Low() bool { return s.low.Load() }

// Full reports whether there was too little room to write anything at the last look: less than
// half of the reserve was free.
func (s *Store) Full() bool { return s.full.Load() }

// Look looks at the free space of the disk: from time to time while there is room, and at every call
// while there is not. When it is called must not follow from what is private, since what
// it finds stops rounds.
func (s *Store) Look() {
	if s.low.Load() || s.free.Load() <= 0 {
		s.look()
	}
}

// Reserve sets bytes aside for later batches, as [Batch.Reserve] does, and looks at the free space.
func (s *Store) Reserve(bytes int) {
	s.reserved.Add(int64(bytes))
	s.look()
}

// look sees how much room there is. What is reserved is not free.
func (s *Store) look() {
	u, err := s.fs.GetDiskUsage(s.dir)
	if err != nil { // a file system in memory, or one without this call
		s.free.Store(checkEvery)
		s.low.Store(false)
		s.full.Store(false)
		return
	}
	least := min(s.reserve, max(minReserve, u.TotalBytes/8))
	free := u.AvailBytes - min(u.AvailBytes, uint64(max(0, s.reserved.Load())))
	s.low.Store(free < least)
	s.full.Store(free < least/2)
	s.free.Store(checkEvery)
}

// Number returns the key of a number; keys are in the order of numbers.
func Number(n uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, 16), n) }

// ReadNumber reads the number at the beginning of a key.
func ReadNumber(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// logger passes on what the database logs. What the database calls fatal ends the process.
type logger struct {
	log *slog.Logger
	s   *Store
}

func (l *logger) Infof(string, ...any) {}

func (l *logger) Errorf(format string, args ...any) {
	l.log.Error("store", "err", fmt.Sprintf(format, args...))
}

func (l *logger) Fatalf(format string, args ...any) {
	l.s.fatal(fmt.Errorf(format, args...))
	select {} // the caller must not go on as if nothing had happened
}
