package daemon

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gofrs/flock"

	"peerd.dev/internal/config"
)

// lockFile is locked by the process that uses a folder.
const lockFile = "lock"

var errInUse = errors.New("is in use by another peerd")

// LockDir ensures that only one peer at a time uses a folder.
func LockDir(dir string) (unlock func(), err error) {
	if err = FindDir(dir); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, lockFile))
	ok, err := l.TryLock()
	if err != nil {
		return nil, withOwner(dir, fmt.Errorf("dir %s: %w", dir, err))
	}
	if !ok {
		return nil, config.Failf(config.ErrUnexpected, "dir %s %w", dir, errInUse)
	}
	return func() { _ = l.Unlock() }, leave(l.Path()) // the end of the process unlocks it anyway
}
