package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
)

// FindDir refuses a folder that does not exist.
func FindDir(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return config.Failf(config.ErrRefused, "no folder %s: `peerd init`, `peerd join`, or another --dir", dir)
	}
	return nil
}

// OwnDir refuses a folder in which this process must not write: one that does not exist or belongs to another user, or
// that others may enter. All that changes a folder asks first, so that root leaves no files that the peer cannot open.
func OwnDir(dir string) error {
	if err := FindDir(dir); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if uid, me := OwnerOf(info), os.Geteuid(); uid != me {
		return config.Failf(config.ErrRefused, "%s belongs to user %d, and this is user %d: run it as that user (setpriv, sudo -u)", dir, uid, me)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return config.Failf(config.ErrRefused, "%s has mode %04o and is open to others than its owner; run: chmod 700 %s", dir, mode, terminal.Quote(dir))
	}
	return nil
}

// CheckNew refuses a folder in which no peer can be made: the path of its socket is too long, or it is there and [OwnDir]
// refuses it.
func CheckNew(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		if err = OwnDir(dir); err != nil {
			return err
		}
	}
	return checkSocket(dir)
}

// newDir makes a folder that only its owner may enter.
func newDir(dir string) error {
	if err := CheckNew(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return OwnDir(dir)
}

// checkSocket refuses a folder whose socket would have too long a path.
func checkSocket(dir string) error {
	if err := api.CheckDir(dir); err != nil {
		return config.Failf(config.ErrRefused, "%w", err)
	}
	return nil
}

// leave gives a file that root has made in another user's folder to that user: who only reads need not own the folder.
func leave(path string) error {
	file, err := os.Stat(path)
	if err != nil {
		return err
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil || os.Geteuid() != 0 || OwnerOf(file) == OwnerOf(dir) {
		return err
	}
	return os.Lchown(path, OwnerOf(dir), -1)
}

// withOwner adds to an error of permissions in a folder which file has another owner.
func withOwner(dir string, err error) error {
	info, wrong := os.Stat(dir)
	if wrong != nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	owner := OwnerOf(info)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, wrong error) error {
		if wrong != nil {
			return wrong
		}
		info, wrong := d.Info()
		if wrong != nil || OwnerOf(info) == owner {
			return wrong
		}
		err = config.Failf(config.ErrRefused, "%w: %s belongs to user %d, its folder to user %d; run: chown -R %d %s", err, path, OwnerOf(info), owner, owner, terminal.Quote(dir))
		return fs.SkipAll
	})
	return err
}
