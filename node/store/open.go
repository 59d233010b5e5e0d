package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// open compares the content of the database with the watermark before it opens the database for
// writing: opening for writing creates a new database if none is found, and removes unknown
// tables.
func (s *Store) open(o Options) error {
	had, known, err := s.readWatermark()
	if err != nil && (!o.Accept || !usable(err)) {
		return err
	}
	files, err := s.names()
	holds := len(files) > 0
	if errors.Is(err, syscall.ENOTDIR) {
		return &DamagedError{Path: s.dir, What: "is no folder"}
	}
	if err != nil {
		return err
	}
	err = s.plausible(had, known, holds)
	if accepted := o.Accept && (usable(err) || o.Replace); err != nil && !accepted {
		return err
	}
	if o.ReadOnly && !holds {
		return fmt.Errorf("store %s: holds nothing: %w", s.dir, fs.ErrNotExist)
	}
	if !holds && !known { // the database is checked first: a store without a watermark is never new
		if err = createWatermark(watched{s.fs, s.fatal}, s.watermarkName(), had); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		known = true
	}
	if err = s.fs.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if s.lock, err = pebble.LockDirectory(s.dir, s.fs); err != nil {
		return fmt.Errorf("store %s: in use: %w", s.dir, err)
	}
	if !o.ReadOnly && known && had.Batch == 0 { // its founding was interrupted
		for _, n := range files {
			if err = s.fs.Remove(s.fs.PathJoin(s.dir, n)); err != nil {
				return fmt.Errorf("store: %w", err)
			}
		}
	}
	lacks := !known || !holds && had.Batch > 0
	if holds && (o.ReadOnly || !known || had.Batch > 0) {
		err = s.compare(had, o.Accept)
		if lacks = lacks || err != nil; err != nil && (!o.Accept || !usable(err)) {
			return err
		}
	}
	if lacks {
		s.lost = &had
	}
	if !o.ReadOnly && had.Batch > 0 {
		if err = s.room(files); err != nil {
			return err
		}
	}
	return s.openDB(o.ReadOnly)
}

// plausible checks that watermark and database exist both or neither.
func (s *Store) plausible(had Mark, known, holds bool) error {
	switch {
	case holds && !known:
		return &DamagedError{Path: s.watermarkName(), What: "is missing, so how much the store should hold is not known", Usable: true}
	case !holds && had.Batch > 0:
		return &DamagedError{Path: s.dir, What: fmt.Sprintf("is empty, and %d writes to it were acknowledged", had.Batch)}
	}
	return nil
}

// compare opens the database for reading and compares it with the watermark. With all, it also
// reads every block, because the rest is to be accepted.
func (s *Store) compare(had Mark, all bool) error {
	if err := s.openDB(true); err != nil {
		return err
	}
	err := s.checkVersion() // a newer version may have another format
	if err == nil {
		var m Mark
		if m, err = inspect(s.db, s.fs, s.dir); err == nil {
			err = s.behind(m, had)
		}
	}
	if all && (err == nil || usable(err)) {
		if e := verify(s.db, s.fs, s.dir); e != nil {
			err = e
		}
	}
	if e := s.closeDB(); err == nil {
		err = e
	}
	return openedBy(s.dir, err)
}

// behind compares a store's mark with its watermark.
func (s *Store) behind(m, had Mark) error {
	switch {
	case m.Batch < had.Batch:
		return &DamagedError{
			Path: s.dir, Usable: true,
			What: fmt.Sprintf("ends with write %d, and %d were acknowledged; its ledger has %d records of %d", m.Batch, had.Batch, m.Records, had.Records),
		}
	case m.Batch == had.Batch && m != had, m.Records < had.Records:
		return &DamagedError{Path: s.watermarkName(), What: "is of another store: the ledgers differ", Usable: true}
	}
	return nil
}

// usable reports whether an error is damage with which a store can continue.
func usable(err error) bool {
	var d *DamagedError
	return errors.As(err, &d) && d.Usable
}

// readWatermark returns the mark in the watermark, if there is one.
func (s *Store) readWatermark() (had Mark, known bool, err error) {
	entries, err := readWatermark(s.fs, s.watermarkName())
	switch {
	case errors.Is(err, errNoEntry):
		return had, false, &DamagedError{Path: s.watermarkName(), What: "cannot be read: " + err.Error(), Usable: true}
	case errors.Is(err, fs.ErrNotExist):
		return had, false, nil
	case err != nil:
		return had, false, fmt.Errorf("store: %w", err)
	}
	return newest(entries), true, nil
}

// names lists the database's files in the folder. The folder may be a mount point with files of
// its own.
func (s *Store) names() ([]string, error) {
	names, err := s.fs.List(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return slices.DeleteFunc(names, func(n string) bool {
		return !strings.HasPrefix(n, "marker.") && !strings.HasPrefix(n, "MANIFEST-") && !strings.HasSuffix(n, ".log") && !strings.HasSuffix(n, ".sst")
	}), err
}

// openDB opens the database.
func (s *Store) openDB(readOnly bool) (err error) {
	defer func() { err = openedBy(s.dir, err) }()
	defer guard(&err)
	events := &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}, BackgroundError: func(error) {}}
	if !readOnly {
		events = &pebble.EventListener{DataCorruption: s.corruption, BackgroundError: s.background}
	}
	s.db, err = pebble.Open(s.dir, &pebble.Options{
		FS: watched{s.fs, s.fatal}, ReadOnly: readOnly, Lock: s.lock,
		FormatMajorVersion: pebble.FormatTableFormatV6,
		MemTableSize:       memTable,
		CacheSize:          cache,
		Levels:             levels(),
		Logger:             &logger{s.log, s},
		EventListener:      events,
		WALMinSyncInterval: func() time.Duration { return s.crowd.pause(time.Now()) },
	})
	return err
}

// levels gives tables filters, since most lookups are for new ids that do not exist, and leaves
// tables uncompressed: their values are small and rarely repeat.
func levels() (all [numLevels]pebble.LevelOptions) {
	for i := range all {
		all[i].FilterPolicy = bloom.FilterPolicy(filterBits)
		all[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	return all
}

func (s *Store) closeDB() (err error) {
	defer guard(&err)
	db := s.db
	s.db = nil
	if db == nil {
		return nil
	}
	return db.Close()
}
