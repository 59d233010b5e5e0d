package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/node/store"
)

// TestACopyHasAllThatWasAcknowledged although the store is written meanwhile, and it opens like any other.
func TestACopyHasAllThatWasAcknowledged(t *testing.T) {
	for name, fs := range map[string]vfs.FS{"memory": vfs.NewMem(), "disk": vfs.Default} {
		t.Run(name, func(t *testing.T) {
			at := dir
			if fs == vfs.Default {
				at = t.TempDir() + dir
			}
			s, err := store.Open(at, store.Options{FS: fs})
			if err != nil {
				t.Fatal(err)
			}
			var acknowledged atomic.Int64
			var stop atomic.Bool
			var writer sync.WaitGroup
			writer.Go(func() {
				for i := 0; !stop.Load(); i++ {
					b := s.Batch()
					b.Set(store.Decision, fmt.Appendf(nil, "%08d", i), make([]byte, 4000)) // some fill a table
					if b.Commit() != nil {
						return
					}
					acknowledged.Store(int64(i) + 1)
				}
			})
			for i := range 20 {
				had := acknowledged.Load()
				to := fmt.Sprintf("%s-%d", at, i)
				if err := s.Copy(to); err != nil {
					t.Fatal(err)
				}
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
