package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Copy makes a store in a folder, which must not exist, with a watermark next to it. It holds all that was acknowledged
// before. Tables are linked where the file system can. Other calls may be in progress; writes wait until the newest logs are
// copied, since the copy of a log that grows can have its end without its middle.
func (s *Store) Copy(to string) (err error) {
	if s.memory != nil {
		return errors.New("store: this one has no files")
	}
	defer guard(&err)
	if err = vfs.Copy(s.fs, s.watermarkName(), to+watermarkSuffix); err != nil { // before the tables: they have at least as much
		return fmt.Errorf("store: %w", err)
	}
	s.applying.Lock()
	defer s.applying.Unlock()
	return s.failed(s.db.Checkpoint(to, pebble.WithFlushedWAL()))
}
