package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"peerd.dev/internal/config"
	"peerd.dev/node/api"
)

// lockFile is locked by the process that uses a folder.
const lockFile = "lock"

// ErrInUse is wrapped by errors about a folder that another process uses.
var ErrInUse = errors.New("is in use by another peerd")

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
		return nil, config.Failf(config.ErrUnexpected, "dir %s %w", dir, ErrInUse)
	}
	return func() { _ = l.Unlock() }, leave(l.Path()) // the end of the process unlocks it anyway
}

// lockPatience is how long a start waits for a command that reads the folder, or for a peer that ends.
const lockPatience = 10 * time.Second

// awaitDir is [LockDir] of a start. It does not wait for a peer that runs.
func awaitDir(dir string, log *slog.Logger) (unlock func(), err error) {
	for began, said := time.Now(), false; ; time.Sleep(lockPatience / 100) {
		unlock, err = LockDir(dir)
		if waited := time.Since(began); !errors.Is(err, ErrInUse) || waited > lockPatience {
			return unlock, err
		} else if waited > time.Second && !said {
			log.Warn("waiting for the folder", "reason", err)
			said = true
		}
		if _, running := AskStatus(context.Background(), dir); !errors.Is(running, api.ErrNotRunning) {
			return nil, err
		}
	}
}
