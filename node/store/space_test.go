package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

// TestRoomThatOthersTakeIsSeenInTime: the store notices it without a write of its own.
func TestRoomThatOthersTakeIsSeenInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40, TotalBytes: 1 << 40})
		s := require.Value(store.Open(dir, store.Options{FS: fs, Reserve: 1 << 30}))(t)
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 0, TotalBytes: 1 << 40})
		time.Sleep(200 * time.Millisecond)
		if s.Look(); !s.Full() || !s.Low() {
			t.Error("nobody looked for 200 ms")
		}
		require.NoError(t, s.Close())
	})
}

// TestABatchTakesItsRoom: a batch takes exactly its Room in the log, whatever it holds.
func TestABatchTakesItsRoom(t *testing.T) {
	fs := vfs.NewMem()
	s := require.Value(store.Open(dir, store.Options{FS: fs}))(t)
	defer func() { _ = s.Close() }()
	logged := func() (bytes int) {
		names := require.Value(fs.List(dir))(t)
		for _, n := range names {
			if strings.HasSuffix(n, ".log") {
				i := require.Value(fs.Stat(fs.PathJoin(dir, n)))(t)
				bytes += int(i.Size())
			}
		}
		return bytes
	}
	for fill := range 300 {
		b := s.Batch()
		b.Set(store.Decision, []byte("a"), make([]byte, fill%7))
		want := b.Room()
		if fill >= 2 {
			want += fill
		}
		b.Fill(fill)
		if b.Room() != want {
			t.Errorf("filled with %d bytes it has room %d, want %d", fill, b.Room(), want)
		}
		before := logged()
		require.NoError(t, b.Commit())
		const block = 32 << 10
		if now := logged(); now-before != want && now/block == before/block {
			t.Errorf("filled with %d bytes it took %d, want %d", fill, now-before, want)
		}
	}
}

// TestAStartOnAFullDiskEndsAtOnce: with too little room for what the logs hold, a start changes nothing
// and says how much it needs. With room it has everything.
func TestAStartOnAFullDiskEndsAtOnce(t *testing.T) {
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40, TotalBytes: 1 << 40})
	const size = 3 << 20
	open := func(reserve uint64) (*store.Store, error) {
		return store.Open(dir, store.Options{FS: fs, Reserve: reserve})
	}
	s, err := open(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, store.Log, "a", string(make([]byte, size)))
	require.NoError(t, s.Close())
	list := func() string {
		names := require.Value(fs.List(dir))(t)
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	before := list()
	for _, free := range []uint64{0, size} {
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 40})
		if _, err = open(64 << 20); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "it needs 41") {
			t.Errorf("%d bytes are free: %v", free, err)
		}
		if after := list(); after != before {
			t.Errorf("%s, was %s", after, before)
		}
	}
	for free, reserve := range map[uint64]uint64{size + 2<<20: 64 << 20, size: 2 * size} { // half of the reserve is what the store leaves
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 40})
		s = require.Value(open(reserve))(t)
		if v, err := s.Get(store.Log, []byte("a")); err != nil || len(v) != size {
			t.Errorf("%d bytes, %v", len(v), err)
		}
		require.NoError(t, s.Close())
	}
}
