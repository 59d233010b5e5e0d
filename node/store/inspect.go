package store

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// inspect returns the mark of an open database's newest batch, or an error if batches before it are
// missing. The tables end with one batch, and every later batch must be in the logs. The database
// itself notices neither that a log is missing, or ends early, while a newer one exists, nor that
// the newest manifest does not list a table.
func inspect(db *pebble.DB, from vfs.FS, dir string) (m Mark, err error) {
	defer guard(&err)
	flushed, err := markIn(db, true)
	if err != nil {
		return m, err
	}
	if m, err = markIn(db, false); err != nil {
		return m, err
	}
	logs, err := wal.Scan(wal.Dir{FS: from, Dirname: dir})
	if err != nil {
		return m, err
	}
	at := flushed.Batch
	for _, l := range logs {
		_, name := l.SegmentLocation(0)
		for n := range batches(l) {
			if n > at+1 {
				return m, &DamagedError{Path: name, What: fmt.Sprintf("begins with write %d, and what is before it ends with write %d: those between them are missing", n, at)}
			}
			at = max(at, n)
		}
	}
	if at != m.Batch {
		return m, &DamagedError{Path: dir, What: fmt.Sprintf("has write %d, and its logs end with write %d", m.Batch, at)}
	}
	return m, nil
}

// markIn returns the mark of the newest batch in a database or, with tables, of its tables only.
func markIn(db *pebble.DB, tables bool) (m Mark, err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{byte(mark)}, UpperBound: []byte{byte(mark) + 1}, OnlyReadGuaranteedDurable: tables})
	if err != nil {
		return m, err
	}
	if it.First() {
		var ok bool
		if m, ok = parseMark(it.Value()); !ok {
			err = fmt.Errorf("mark of %d bytes", len(it.Value()))
		}
	}
	if e := it.Close(); e != nil {
		err = e
	}
	return m, err
}

// batches yields the numbers of the batches in a log, up to its end or to where it is cut off.
func batches(l wal.LogicalLog) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		r := l.OpenForRead()
		defer func() { _ = r.Close() }()
		var b bytes.Buffer
		for {
			record, _, err := r.NextRecord()
			if err != nil {
				return
			}
			b.Reset()
			if _, err = b.ReadFrom(record); err != nil {
				return
			}
			if n, ok := numberOf(b.Bytes()); ok && !yield(n) {
				return
			}
		}
	}
}

// numberOf returns the number in the mark that a batch holds.
func numberOf(batch []byte) (uint64, bool) {
	if len(batch) < batchrepr.HeaderLen {
		return 0, false
	}
	r := batchrepr.Read(batch)
	for {
		kind, key, value, ok, err := r.Next()
		if err != nil || !ok {
			return 0, false
		}
		if kind == pebble.InternalKeyKindSet && len(value) == markSize && len(key) == 1 && key[0] == byte(mark) {
			return binary.BigEndian.Uint64(value), true
		}
	}
}
