package terminal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// ErrOutput is wrapped by errors about paths to which no output is written.
var ErrOutput = errors.New("want the name of a new file, or of one to replace")

const scratchName, scratchLock = ".peerd-output-", "output.lock"

// Scratch makes a private folder in another for what is not complete yet, and returns how to remove it. It removes those that a
// kill has left.
func Scratch(in string) (at string, remove func() error, err error) {
	Sweep(in)
	if at, err = os.MkdirTemp(in, scratchName); err != nil {
		return "", nil, err
	}
	l := flock.New(filepath.Join(at, scratchLock))
	remove = func() error { return errors.Join(l.Close(), os.RemoveAll(at)) }
	if _, err = l.TryLock(); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return at, remove, nil
}

// Sweep removes the folders of [Scratch] that no process uses any more.
func Sweep(in string) {
	entries, _ := os.ReadDir(in) // what cannot be read is not swept
	for _, e := range entries {
		if at := filepath.Join(in, e.Name()); e.IsDir() && strings.HasPrefix(e.Name(), scratchName) {
			l := flock.New(filepath.Join(at, scratchLock), flock.SetFlag(os.O_RDONLY|syscall.O_NONBLOCK)) // no such file is made, and no pipe waited for
			if ok, _ := l.TryLock(); ok {
				_ = os.RemoveAll(at)
				_ = l.Close()
			}
		}
	}
}
