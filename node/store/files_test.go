package store_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

// TestFilesAreRoom: fewer files that can be made than the reserve are too few, as with bytes, and the reason says so.
func TestFilesAreRoom(t *testing.T) {
	const many = 1 << 40
	for _, c := range []struct {
		all, free, bytes uint64
		low, full, files bool
	}{
		{1 << 20, 64, many, false, false, false},
		{1 << 20, 63, many, true, false, true},
		{1 << 20, 31, many, true, true, true},
		{400, 50, many, false, false, false}, // an eighth
		{400, 49, many, true, false, true},
		{45, 16, many, false, false, false}, // never fewer than 16
		{45, 15, many, true, false, true},
		{45, 7, many, true, true, true},
		{0, 0, many, false, false, false}, // a file system without a limit
		{1 << 20, 1 << 10, 40 << 20, true, false, false},
	} {
		fs, free := vfs.NewMem(), uint64(many)
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: many, TotalBytes: many})
		s := require.Value(store.Open(dir, store.Options{FS: fs, Reserve: 64 << 20, Files: func(string) (all, left uint64) { return c.all, free }}))(t)
		free = c.free
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: c.bytes, TotalBytes: many})
		s.Reserve(0)
		lack := s.Lack()
		if s.Low() != c.low || s.Full() != c.full || !errors.Is(lack, store.ErrFull) {
			t.Errorf("%+v: low=%v, full=%v: %v", c, s.Low(), s.Full(), lack)
		}
		if c.low && strings.Contains(lack.Error(), "no more files") != c.files {
			t.Errorf("%+v: %v", c, lack)
		}
		require.NoError(t, s.Close())
	}
}

// TestAStartWithoutFilesEndsAtOnce, with a sentence, and changes nothing.
func TestAStartWithoutFilesEndsAtOnce(t *testing.T) {
	fs, free := vfs.NewMem(), uint64(100)
	open := func() (*store.Store, error) {
		return store.Open(dir, store.Options{FS: fs, Files: func(string) (all, left uint64) { return 800, free }})
	}
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, store.Log, "a", "b")
	require.NoError(t, s.Close())
	before := fs.String()
	free = 31
	if _, err = open(); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "no more files can be made on it, whatever their size: it needs 32 to start, and 31 are free") {
		t.Errorf("31 free: %v", err)
	}
	if after := fs.String(); after != before {
		t.Errorf("%s, was %s", after, before)
	}
	free = 32
	s = require.Value(open())(t)
	require.NoError(t, s.Close())
}

// TestAFileThatCannotBeMadeIsFatal, while the store is open and while it opens. Otherwise the database ends the process
// with a panic, or tries for ever.
func TestAFileThatCannotBeMadeIsFatal(t *testing.T) {
	mem := vfs.NewCrashableMem()
	fatal := make(chan error, 10)
	open := func(suffix string, armed *bool) (*store.Store, error) {
		fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			made := op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpReuseForWrite || op.Kind == errorfs.OpFileWrite
			if *armed && made && strings.HasSuffix(op.Path, suffix) {
				return syscall.ENOSPC
			}
			return nil
		}))
		return store.Open(dir, store.Options{FS: fs, Fatal: func(err error) { // must not return
			fatal <- err
			select {}
		}})
	}
	ends := func(what string) {
		t.Helper()
		select {
		case err := <-fatal:
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: nobody says that it cannot go on", what)
		}
	}
	armed := false
	s := require.Value(open(".log", &armed))(t)
	put(t, s, store.Log, "a", "b")
	mem = mem.CrashClone(vfs.CrashCloneCfg{})
	armed = true
	go func() {
		b := s.Batch()
		b.Set(store.Log, []byte("large"), make([]byte, 32<<20)) // for which the log and its table are changed
		_ = b.Commit()
	}()
	ends("a new log")

	armed = true // the clone has a log to replay
	go func() { _, _ = open(".sst", &armed) }()
	ends("a table at a start")
}
