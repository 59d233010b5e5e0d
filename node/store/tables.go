package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// verify reads every block of every table of a database, which opening does not.
func verify(db *pebble.DB, from vfs.FS, dir string) (err error) {
	defer guard(&err)
	levels, err := db.SSTables()
	if err != nil {
		return err
	}
	for _, tables := range levels {
		for i := range tables {
			name := from.PathJoin(dir, fmt.Sprintf("%s.sst", tables[i].BackingSSTNum))
			if err := verifyTable(from, name); err != nil {
				return unreadable(name, err)
			}
		}
	}
	return nil
}

func verifyTable(from vfs.FS, name string) error {
	f, err := from.Open(name)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{}) // closes the file with it
	if err != nil {
		return err
	}
	return errors.Join(r.ValidateBlockChecksums(), r.Close())
}
