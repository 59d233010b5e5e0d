package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// withWayOut adds to the error of a damaged store what to do about it.
func withWayOut(dir string, err error) error {
	var d *store.DamagedError
	switch {
	case errors.Is(err, store.ErrNewer):
		return config.Failf(config.ErrRefused, "%s: %w", dir, err)
	case errors.As(err, &d) && d.Usable:
		return fmt.Errorf("%w. Nothing was changed. If there is a newer copy of this folder, use it. If not, restore a backup of the folder, or keep what is left, and run: peerd recover --dir %s", err, terminal.Quote(dir))
	case d != nil || errors.Is(err, site.ErrDamaged):
		return fmt.Errorf("%w. Check the disk, restore a backup of the folder, and run: peerd recover --dir %s; without a backup, add --new-store, which goes on with an empty store under the same key", err, terminal.Quote(dir))
	}
	return err
}

// damaged reports whether err is about a store that cannot be used as it is.
func damaged(err error) bool {
	return errors.As(err, new(*store.DamagedError)) || errors.Is(err, site.ErrDamaged)
}

// setStoreAside renames the store of a folder to a name that no peer looks for.
func setStoreAside(dir string) (name string, err error) {
	from := filepath.Join(dir, StoreDir)
	for i := 1; ; i++ {
		name = fmt.Sprintf("%s.damaged-%d", from, i)
		if _, err = os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	if err = os.Rename(from, name); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return name, err
}
