package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// watched is a file system on which any failed sync is fatal at once. The database retries after
// some of them and panics after others; but after a failed sync the content of the disk is
// unknown, and a second sync may nevertheless succeed.
type watched struct {
	vfs.FS
	fatal func(error)
}

func (w watched) file(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w.fatal}, nil
}

// Create implements [vfs.FS].
func (w watched) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return w.file(w.FS.Create(name, c))
}

// OpenReadWrite implements [vfs.FS].
func (w watched) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return w.file(w.FS.OpenReadWrite(name, c, opts...))
}

// OpenDir implements [vfs.FS].
func (w watched) OpenDir(name string) (vfs.File, error) { return w.file(w.FS.OpenDir(name)) }

// ReuseForWrite implements [vfs.FS].
func (w watched) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return w.file(w.FS.ReuseForWrite(oldname, newname, c))
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
}

func (f watchedFile) must(err error) error {
	if err != nil {
		f.fatal(fmt.Errorf("store: %w", err))
	}
	return err
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
