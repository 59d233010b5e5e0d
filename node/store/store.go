// Package store keeps what must survive a crash: tables of bytes in one embedded database,
// written in atomic batches.
//
// Every write is synced. The writer of a table decides what the table holds; this package knows
// only the form of a key.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Table is a part of the store. Its number is part of the format.
type Table byte

// The tables.
const (
	Meta     Table = 1 // the store's own values
	Log      Table = 2 // inputs, by step
	Snapshot Table = 3 // the newest state
	Ledger   Table = 4 // records, by number
	Outbox   Table = 5 // frames to be sent, by step
	Decision Table = 6 // by id
	Due      Table = 7 // decisions by the round in which their rewards are observed
	Past     Table = 8 // decisions by the round in which they are forgotten
	Subject  Table = 9 // decisions of each subject
	Peer     Table = 10
	mark     Table = 11 // the Mark of the newest batch

	Signature Table = 12 // of what is in Peer
	Weights   Table = 13 // tables that were served, by number
	Late      Table = 14 // by how much the first late report of a decision came after its window, by id
	Offer     Table = 15 // what decisions could choose from, by id
	Receipt   Table = 16 // of other peers, by day and witness

	InsideDue  Table = 17 // decisions by the round in which the kept half gets their rewards
	Inside     Table = 18 // the kept half
	InsidePast Table = 19 // kept decisions by the round in which they are forgotten

	Opening Table = 20 // what opens a record of the ledger, by number
)

const (
	formatVersion = 1
	versionKey    = "format"
	memTable      = 16 << 20 // two of them stay in memory: the one that is written, and the next
	cache         = 32 << 20 // for blocks that are read; filled as needed
	filterBits    = 10       // per key, so that few blocks are read in vain
	numLevels     = len(pebble.Options{}.Levels)
)

// ErrNewer is wrapped by errors that refuse what a later release has written.
var ErrNewer = errors.New("written by a later release")

// Newer refuses a form that is later than the newest which is read.
func Newer(what string, form any, reads int) error {
	return fmt.Errorf("%s: %w (form %v; this one reads to %d): start that release again; nothing was changed", what, ErrNewer, form, reads)
}

// Options describes a Store.
type Options struct {
	Memory Memory // holds the tables instead of files, in tests; nil for files
	FS     vfs.FS // nil for the operating system's
	// Files returns how many files the file system of a folder holds at most, 0 without such a limit, and how many more can
	// be made. Nil asks the operating system.
	Files    func(dir string) (all, free uint64)
	Reserve  uint64 // bytes of disk to leave free, capped at an eighth of the disk
	ReadOnly bool
	// Fatal is called, from any goroutine, when a write or a sync has failed. The content of the
	// disk is then unknown, so nothing may be acknowledged any more: Fatal must not return. Nil
	// ends the process with code 74.
	Fatal func(error)
	// Damaged is called once, in a goroutine of its own, when a table turns out to be damaged
	// while the store is open. May be nil.
	Damaged func(error)
	// Accept opens a store that holds less than was acknowledged, or has no watermark. With
	// Replace, a store is founded in place of a missing one. See [Store.Lost] and [Store.AcceptLoss].
	Accept, Replace bool
	Logger          *slog.Logger
	// Observe, if set, is called with the time that each batch took to become durable, except
	// quiet ones.
	Observe func(time.Duration)
}

// LargerFiles is what to do about syscall.EFBIG, with which the disk has nothing to do.
const LargerFiles = "This process may not write larger files: raise the limit (ulimit -f, LimitFSIZE of a unit)"

// ExitIO is the exit code of a process whose disk failed (EX_IOERR of sysexits.h).
const ExitIO = 74

// A Store is safe for concurrent use.
type Store struct {
	memory    Memory
	db        *pebble.DB // nil in memory
	dir       string
	fs        vfs.FS
	files     func(dir string) (all, free uint64)
	log       *slog.Logger
	fatal     func(error)
	report    func(error) // called with damage; may be nil
	observe   func(time.Duration)
	reserve   uint64
	free      atomic.Int64              // bytes that may be written before the next check of the free space
	looked    atomic.Pointer[time.Time] // when the free space was checked
	low       atomic.Bool
	scarce    atomic.Bool
	full      atomic.Bool
	noFiles   atomic.Bool  // low is of files, and perhaps of bytes, too
	reserved  atomic.Int64 // bytes; see [Batch.Reserve]
	damaged   atomic.Pointer[error]
	lock      *pebble.Lock
	watermark *watermark // nil while the store has lost something, or is open for reading
	lost      *Mark      // the watermark of a store that has lost something

	crowd    crowd // counted under applying
	applying sync.Mutex
	mark     Mark // of the newest batch
}

// Open opens the store in dir. If neither a store nor its watermark exists, it founds a store. If
// only one of them exists, or the store holds less than its watermark says, it returns a
// [*DamagedError] and changes nothing. It does not touch a store of another version.
func Open(dir string, o Options) (_ *Store, err error) {
	s := &Store{dir: dir, fs: o.FS, files: o.Files, log: o.Logger, fatal: o.Fatal, report: o.Damaged, observe: o.Observe, reserve: o.Reserve}
	if s.memory = o.Memory; s.memory != nil {
		return s, nil
	}
	if s.observe == nil {
		s.observe = func(time.Duration) {}
	}
	if s.fs == nil {
		s.fs = vfs.Default
	}
	if s.files == nil {
		s.files = filesOf
	}
	if s.fatal == nil {
		s.fatal = func(err error) {
			what, do := "the disk failed", "Check the disk of "+dir+" before starting again"
			if errors.Is(err, syscall.EFBIG) {
				what, do = "a write failed", LargerFiles
			}
			_, _ = fmt.Fprintf(os.Stderr, "peerd: %s: %v; nothing was acknowledged after that. %s\n", what, oneLine{err}, do)
			os.Exit(ExitIO)
		}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err = s.open(o); err != nil {
		return nil, err
	}
	if err = s.checkVersion(); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		return s, nil
	}
	if err = s.begin(); err != nil {
		return nil, err
	}
	s.look()
	return s, nil
}

// checkVersion refuses a store of another version.
func (s *Store) checkVersion() error {
	v, err := s.Get(Meta, []byte(versionKey))
	if err == nil && v != nil && (len(v) != 1 || v[0] > formatVersion) {
		err = Newer("store "+s.dir, fmt.Sprintf("%x", v), formatVersion)
	}
	return err
}

// begin writes the version of a new store, and opens the watermark unless the store has lost
// something.
func (s *Store) begin() (err error) {
	if s.mark, err = markIn(s.db, false); err != nil {
		return s.failed(err)
	}
	if s.lost == nil {
		if s.watermark, err = openWatermark(s.fs, s.watermarkName(), s.fatal); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	if s.mark.Batch == 0 {
		b := s.Batch()
		b.Set(Meta, []byte(versionKey), []byte{formatVersion})
		if err = b.Commit(); err != nil {
			return err
		}
	}
	if err = removeOptions(s.fs, s.dir); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if s.watermark != nil { // opening has made the content of the logs durable
		s.watermark.set(s.mark)
		s.watermark.sync()
	}
	return nil
}

// Lost returns the watermark of a store that was opened with [Options.Accept] and holds less; it
// is zero if the watermark is unknown. The watermark does not change until [Store.AcceptLoss].
func (s *Store) Lost() (had Mark, lost bool) {
	if s.lost == nil {
		return Mark{}, false
	}
	return *s.lost, true
}

// Mark returns the mark of the newest batch.
func (s *Store) Mark() Mark {
	s.applying.Lock()
	defer s.applying.Unlock()
	return s.mark
}

// AcceptLoss accepts the present content of a store that has lost something. No other call may be in
// progress.
func (s *Store) AcceptLoss() (err error) {
	if s.lost == nil {
		return nil
	}
	if err = createWatermark(watched{s.fs, s.fatal}, s.watermarkName(), s.Mark()); err == nil {
		s.watermark, err = openWatermark(s.fs, s.watermarkName(), s.fatal)
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.lost = nil
	return nil
}

// MemoryBytes returns how many bytes of memory the database uses: at most two of the tables in which it collects writes, and
// its cache.
func (s *Store) MemoryBytes() uint64 {
	if s.memory != nil {
		return 0
	}
	m := s.db.Metrics()
	return m.MemTable.Size + m.MemTable.ZombieSize + uint64(m.BlockCache.Size)
}

// Close closes the store. No other call may be in progress.
func (s *Store) Close() error {
	if s.memory != nil {
		return nil
	}
	err := s.closeDB()
	if s.watermark != nil {
		err = errors.Join(err, s.watermark.close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// Number returns the key of a number. Keys sort like numbers.
func Number(n uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, 16), n) }

// ReadNumber reads the number at the beginning of a key.
func ReadNumber(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// logger passes on the database's log. A fatal message of the database ends the process.
type logger struct {
	log *slog.Logger
	s   *Store
}

func (l *logger) Infof(string, ...any) {}

func (l *logger) Errorf(format string, args ...any) {
	l.log.Error("store", "err", oneLine{fmt.Errorf(format, args...)})
}

func (l *logger) Fatalf(format string, args ...any) {
	l.s.fatal(fmt.Errorf(format, args...))
	select {} // the caller must not continue
}
