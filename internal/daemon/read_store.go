package daemon

import (
	"errors"
	"io/fs"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// ReadStore opens the store of a folder for reading.
func ReadStore(dir string) (st *store.Store, err error) {
	if st, err = store.Open(filepath.Join(dir, StoreDir), store.Options{ReadOnly: true}); err == nil {
		if err = site.CheckNewer(st); err != nil {
			err = errors.Join(err, st.Close())
		}
	}
	if errors.Is(err, fs.ErrNotExist) && !damaged(err) {
		err = config.Failf(config.ErrUnexpected, "dir %s holds no ledger and no decisions: the peer has not run yet: peerd run --dir %s", dir, terminal.Quote(dir))
	}
	return st, withWayOut(dir, err)
}
