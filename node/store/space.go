package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	checkEvery   = 64 << 10               // bytes written between two checks of the free space, at most
	checkAfter   = 100 * time.Millisecond // the same in time: others write to the disk, too
	minReserve   = 1 << 20
	filesReserve = 64 // files that can still be made: a start makes about eight, and a flush or a compaction a few
	minFiles     = 16
)

var (
	// ErrFull is returned while the disk has less free space than the reserve, or than half of
	// it.
	ErrFull  = errors.New("the disk is full")
	errFiles = fmt.Errorf("%w: no more files can be made on it, whatever their size", ErrFull)
)

// A Space is the room on a file system: its bytes and files, and how many are free. A limit of 0 is none, or not known.
type Space struct {
	Bytes, FreeBytes uint64
	Files, FreeFiles uint64
}

// Reserve returns how much of the file system a store with a reserve of bytes leaves free.
func (x *Space) Reserve(reserve uint64) (bytes, files uint64) {
	if x.Bytes > 0 {
		bytes = min(reserve, max(minReserve, x.Bytes/8))
	}
	if x.Files > 0 {
		files = min(filesReserve, max(minFiles, x.Files/8))
	}
	return bytes, files
}

// SpaceOf returns the room on the file system of a folder. With an error, the bytes are not known.
func SpaceOf(dir string) (Space, error) { return spaceOf(vfs.Default, filesOf, dir) }

func spaceOf(on vfs.FS, files func(dir string) (all, free uint64), dir string) (x Space, err error) {
	u, err := on.GetDiskUsage(dir)
	x.Bytes, x.FreeBytes = u.TotalBytes, u.AvailBytes
	x.Files, x.FreeFiles = files(dir)
	return x, err
}

// room checks that there is room for what opening writes, at most the content of the logs as tables, or as much as the
// store itself leaves free; and for half of the files that it leaves. With less the database might try for ever.
func (s *Store) room(names []string) error {
	var need uint64
	for _, n := range names {
		if strings.HasSuffix(n, ".log") {
			i, err := s.fs.Stat(s.fs.PathJoin(s.dir, n))
			if err != nil {
				return fmt.Errorf("store: %w", err)
			}
			need += uint64(i.Size())
		}
	}
	x, _ := s.space() // what is not known has no limit
	const then = "Make room, then start again. Nothing was changed"
	bytes, files := x.Reserve(s.reserve)
	if x.FreeFiles < files/2 {
		return fmt.Errorf("store %s: %w: it needs %d to start, and %d are free. %s", s.dir, errFiles, files/2, x.FreeFiles, then)
	}
	if need = min(need+minReserve, bytes/2); x.FreeBytes < need {
		return fmt.Errorf("store %s: %w: it needs %d kB to start, and %d are free. %s", s.dir, ErrFull, (need+999)/1000, x.FreeBytes/1000, then)
	}
	return nil
}

// Low reports whether the last check of the disk found less room than the reserve, which is
// too little for anything new. Reserved bytes can still be written.
func (s *Store) Low() bool { return s.low.Load() || s.memory != nil && s.memory.Full() }

// Scarce reports whether the last check of the disk found less room than one and a half times the reserve. With less nothing is kept that is
// not given to the network, so that this never makes the store low.
func (s *Store) Scarce() bool { return s.scarce.Load() || s.memory != nil && s.memory.Full() }

// Full reports whether the last check of the disk found less room than half of the reserve,
// which is too little to write anything.
func (s *Store) Full() bool { return s.full.Load() || s.memory != nil && s.memory.Full() }

// Lack returns [ErrFull], or an error that wraps it, for a store that is low or full: it says what there is no room for.
func (s *Store) Lack() error {
	if s.noFiles.Load() {
		return errFiles
	}
	return ErrFull
}

// Look checks the free space of the disk: now and then while there is room, and at every call
// while there is not. When it is called must not depend on private data, since a full disk stops
// rounds.
func (s *Store) Look() {
	if s.memory != nil {
		return
	}
	if s.low.Load() || s.free.Load() <= 0 || time.Since(*s.looked.Load()) > checkAfter {
		s.look()
	}
}

// Reserve sets bytes aside for later batches, like [Batch.Reserve], and checks the free space.
func (s *Store) Reserve(bytes int) {
	if s.memory != nil {
		return
	}
	s.reserved.Add(int64(bytes))
	s.look()
}

func (s *Store) space() (Space, error) { return spaceOf(s.fs, s.files, s.dir) }

// look checks the free space. Reserved bytes do not count as free.
func (s *Store) look() {
	now := time.Now()
	s.looked.Store(&now)
	s.free.Store(checkEvery)
	x, _ := s.space()
	bytes, files := x.Reserve(s.reserve)
	free := x.FreeBytes - min(x.FreeBytes, uint64(max(0, s.reserved.Load())))
	s.noFiles.Store(x.FreeFiles < files)
	s.scarce.Store(free < bytes+bytes/2 || x.FreeFiles < files+files/2)
	s.low.Store(free < bytes || x.FreeFiles < files)
	s.full.Store(free < bytes/2 || x.FreeFiles < files/2)
}
