package store

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestACompactionCanWaitForRoom: only what nothing can go on without is fatal. A compaction is tried again by the database,
// which does not pause by itself, and a copy has its own error.
func TestACompactionCanWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := watched{errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(errorfs.Op) error { return errorfs.ErrInjected })), func(err error) {
			t.Errorf("fatal: %v", err)
		}}
		for category, pause := range map[vfs.DiskWriteCategory]time.Duration{"pebble-compaction": compactionRetry, vfs.WriteCategoryUnspecified: 0} {
			began := time.Now()
			if _, err := fs.Create("000007.sst", category); !errors.Is(err, errorfs.ErrInjected) || time.Since(began) != pause {
				t.Errorf("%s: %v after %v, want %v", category, err, time.Since(began), pause)
			}
		}
	})
}
