package daemon

import (
	"fmt"
	"path/filepath"

	"github.com/gofrs/flock"

	"peerd.dev/internal/config"
)

// LockDir ensures that only one peer at a time uses a folder.
func LockDir(dir string) (unlock func(), err error) {
	l := flock.New(filepath.Join(dir, "lock"))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("dir %s: %w; `peerd init --dir %s` makes one", dir, err, dir)
	}
	if !ok {
		return nil, config.Failf(config.ErrUnexpected, "dir %s is in use by another peerd", dir)
	}
	return func() { _ = l.Unlock() }, nil // the end of the process unlocks it anyway
}
