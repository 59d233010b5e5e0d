package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

// TestACopyHasAllThatWasAcknowledged although the store is written meanwhile, and it opens like any other. Between two
// copies there are at most ahead writes, so that the last copy is not of a gigabyte.
func TestACopyHasAllThatWasAcknowledged(t *testing.T) {
	for name, fs := range map[string]vfs.FS{"memory": vfs.NewMem(), "disk": vfs.Default} {
		t.Run(name, func(t *testing.T) {
			at := dir
			if fs == vfs.Default {
				at = t.TempDir() + dir
			}
			s := require.Value(store.Open(at, store.Options{FS: fs}))(t)
			const ahead = 500
			var acknowledged, most atomic.Int64
			var stop atomic.Bool
			var writer sync.WaitGroup
			writer.Go(func() {
				for i := int64(0); !stop.Load(); {
					if i >= most.Load() {
						time.Sleep(50 * time.Microsecond)
						continue
					}
					b := s.Batch()
					b.Set(store.Decision, fmt.Appendf(nil, "%08d", i), make([]byte, 4000)) // some fill a table
					if b.Commit() != nil {
						return
					}
					i++
					acknowledged.Store(i)
				}
			})
			for i := range 20 {
				had := acknowledged.Load()
				most.Store(had + ahead)
				to := fmt.Sprintf("%s-%d", at, i)
				require.NoError(t, s.Copy(to))
				c, err := store.Open(to, store.Options{FS: fs})
				if err != nil {
					t.Fatalf("copy %d after %d writes: %v", i, had, err)
				}
				n := int64(0)
				for _, err := range c.Scan(store.Decision, nil, nil) {
					if err != nil {
						t.Fatal(err)
					}
					n++
				}
				if n < had {
					t.Errorf("copy %d has %d of %d writes", i, n, had)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			stop.Store(true)
			writer.Wait()
			t.Logf("%d writes", acknowledged.Load())
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
