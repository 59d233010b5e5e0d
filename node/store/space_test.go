package store_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/node/store"
)

// TestRoomThatOthersTakeIsSeenInTime: without a write of its own, too.
func TestRoomThatOthersTakeIsSeenInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40, TotalBytes: 1 << 40})
		s, err := store.Open(dir, store.Options{FS: fs, Reserve: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 0, TotalBytes: 1 << 40})
		time.Sleep(200 * time.Millisecond)
		if s.Look(); !s.Full() || !s.Low() {
			t.Error("nobody looked for 200 ms")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
