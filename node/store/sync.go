package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// watched is a file system on which any failed sync is fatal at once. The database retries after
// some of them and panics after others; but after a failed sync the content of the disk is
// unknown, and a second sync may nevertheless succeed.
//
// So is a log or a flushed table that cannot be made or written. Without a new log the database ends the process in a way
// that no function can recover from, and the flush it tries again without a pause, for ever, also while it opens. A
// compaction is tried again too, but it can wait for room.
type watched struct {
	vfs.FS
	fatal func(error)
}

func (w watched) file(f vfs.File, err error) (vfs.File, error) { return w.made("", f, err) }

// made is for files that are written in a category.
func (w watched) made(c vfs.DiskWriteCategory, f vfs.File, err error) (vfs.File, error) {
	made := watchedFile{f, w.fatal, c}
	if err = made.wrote(err); err != nil {
		return nil, err
	}
	return made, nil
}

// Create implements [vfs.FS].
func (w watched) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := w.FS.Create(name, c)
	return w.made(c, f, err)
}

// OpenReadWrite implements [vfs.FS].
func (w watched) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := w.FS.OpenReadWrite(name, c, opts...)
	return w.made(c, f, err)
}

// OpenDir implements [vfs.FS].
func (w watched) OpenDir(name string) (vfs.File, error) { return w.file(w.FS.OpenDir(name)) }

// ReuseForWrite implements [vfs.FS].
func (w watched) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := w.FS.ReuseForWrite(oldname, newname, c)
	return w.made(c, f, err)
}

// List implements [vfs.FS]. It hides the files in which the database records its options: this
// package sets the options, and the database refuses to start if such a file is damaged.
func (w watched) List(dir string) ([]string, error) {
	names, err := w.FS.List(dir)
	return slices.DeleteFunc(names, isOptions), err
}

func isOptions(name string) bool { return strings.HasPrefix(name, "OPTIONS-") }

// removeOptions removes all such files except the newest.
func removeOptions(from vfs.FS, dir string) error {
	names, err := from.List(dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !isOptions(n) })
	slices.Sort(names)
	for _, n := range names[:max(1, len(names))-1] {
		if err := from.Remove(from.PathJoin(dir, n)); err != nil {
			return err
		}
	}
	return nil
}

// Unwrap implements [vfs.FS].
func (w watched) Unwrap() vfs.FS { return w.FS }

type watchedFile struct {
	vfs.File
	fatal func(error)
	as    vfs.DiskWriteCategory
}

// compactionRetry is the time between two tries of a compaction that the disk has no room for.
const compactionRetry = time.Second

// wrote handles an error of making or writing the file.
func (f watchedFile) wrote(err error) error {
	if f.as == "pebble-wal" || f.as == "pebble-memtable-flush" {
		return f.must(err)
	}
	if f.as == "pebble-compaction" && err != nil {
		time.Sleep(compactionRetry)
	}
	return err
}

func (f watchedFile) must(err error) error {
	if err != nil {
		f.fatal(fmt.Errorf("store: %w", err))
	}
	return err
}

// Write implements [vfs.File].
func (f watchedFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, f.wrote(err)
}

// Sync implements [vfs.File].
func (f watchedFile) Sync() error { return f.must(f.File.Sync()) }

// SyncData implements [vfs.File].
func (f watchedFile) SyncData() error { return f.must(f.File.SyncData()) }

// SyncTo implements [vfs.File].
func (f watchedFile) SyncTo(length int64) (full bool, err error) {
	full, err = f.File.SyncTo(length)
	return full, f.must(err)
}
