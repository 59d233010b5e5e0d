package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A Mark is the state of progress of a store. Every batch holds the mark after it.
type Mark struct {
	Batch   uint64   // number of the newest batch, from 1
	Records uint64   // in the ledger
	Head    [32]byte // SHA-256 of the ledger's last record
}

const markSize = 8 + 8 + 32

func (m Mark) bytes() []byte {
	b := make([]byte, 0, entrySize)
	b = binary.BigEndian.AppendUint64(b, m.Batch)
	b = binary.BigEndian.AppendUint64(b, m.Records)
	return append(b, m.Head[:]...)
}

func parseMark(b []byte) (m Mark, ok bool) {
	if len(b) != markSize {
		return m, false
	}
	m.Batch, m.Records = binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	copy(m.Head[:], b[16:])
	return m, true
}

// A watermark is a file next to the store with the mark of a durable batch: the newest one, or
// one after which nothing was acknowledged. So a store with an older mark has lost something: a
// damaged log ends early, like a log after a crash.
//
// The file has two entries, each with a checksum, in blocks of their own. A write replaces the
// older entry, so whatever happens to it, the other entry is intact. A write reaches the operating
// system before anything is acknowledged, and the disk at most [watermarkSync] later; see
// decision 70 (docs/decisions/durability.md) for the consequences.
type watermark struct {
	name  string
	file  vfs.File
	fatal func(error)

	mu      sync.Mutex
	entries [2]Mark
	timer   *time.Timer // fires the next sync; nil if none is needed
	syncing sync.WaitGroup
}

const (
	watermarkSuffix = ".watermark"
	watermarkSync   = time.Second
	entryMagic      = "peerdmk1"
	entrySize       = len(entryMagic) + markSize + crc32.Size
	entryEvery      = 4096 // bytes between the starts of the entries
	watermarkSize   = 2 * entryEvery
)

// errNoEntry is returned for a watermark with two invalid entries.
var errNoEntry = errors.New("neither of its two entries is whole")

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func entry(m Mark) []byte {
	b := append(make([]byte, 0, entrySize), entryMagic...)
	b = append(b, m.bytes()...)
	return binary.BigEndian.AppendUint32(b, checksum(b))
}

func parseEntry(b []byte) (m Mark, ok bool) {
	body := b[:entrySize-crc32.Size]
	if !bytes.HasPrefix(body, []byte(entryMagic)) || checksum(body) != binary.BigEndian.Uint32(b[len(body):]) {
		return m, false
	}
	return parseMark(body[len(entryMagic):])
}

// readWatermark reads both entries of a file. The error is [fs.ErrNotExist] if there is no file.
func readWatermark(from vfs.FS, name string) (entries [2]Mark, err error) {
	f, err := from.Open(name)
	if err != nil {
		return entries, err
	}
	defer func() { _ = f.Close() }()
	b := make([]byte, watermarkSize)
	if _, err = io.ReadFull(f, b); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return entries, err
	}
	found := false
	for i := range entries {
		m, ok := parseEntry(b[i*entryEvery:][:entrySize])
		if entries[i] = m; ok {
			found = true
		}
	}
	if !found {
		return entries, errNoEntry
	}
	return entries, nil
}

// newest returns the newer of two entries; an invalid entry counts as older than any other.
func newest(entries [2]Mark) Mark {
	if entries[1].Batch > entries[0].Batch {
		return entries[1]
	}
	return entries[0]
}

// createWatermark writes a complete new file, which replaces any other.
func createWatermark(in vfs.FS, name string, m Mark) (err error) {
	part := name + ".new"
	f, err := in.Create(part, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if vfs.Root(in) == vfs.Default { // the number of writes would show the number of rewards
		if err = os.Chmod(part, 0o600); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	b := make([]byte, watermarkSize)
	for i := range 2 {
		copy(b[i*entryEvery:], entry(m))
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = in.Rename(part, name); err != nil {
		return err
	}
	d, err := in.OpenDir(in.PathDir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// openWatermark opens a file for writing.
func openWatermark(in vfs.FS, name string, fatal func(error)) (*watermark, error) {
	entries, err := readWatermark(in, name)
	if err != nil {
		return nil, err
	}
	f, err := in.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	return &watermark{name: name, file: f, fatal: fatal, entries: entries}, nil
}

// set records that a batch is durable.
func (w *watermark) set(m Mark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.Batch <= newest(w.entries).Batch {
		return
	}
	i := 0
	if w.entries[1].Batch < w.entries[0].Batch {
		i = 1
	}
	if _, err := w.file.WriteAt(entry(m), int64(i*entryEvery)); err != nil {
		w.fatal(fmt.Errorf("%s: %w", w.name, err))
		return
	}
	w.entries[i] = m
	if w.timer == nil {
		w.syncing.Add(1)
		w.timer = time.AfterFunc(watermarkSync, func() {
			defer w.syncing.Done()
			w.mu.Lock()
			w.timer = nil
			w.mu.Unlock()
			w.sync()
		})
	}
}

func (w *watermark) sync() {
	if err := w.file.SyncData(); err != nil {
		w.fatal(fmt.Errorf("%s: %w", w.name, err))
	}
}

// close makes the file durable.
func (w *watermark) close() error {
	w.mu.Lock()
	if w.timer != nil && w.timer.Stop() {
		w.syncing.Done()
	}
	w.mu.Unlock()
	w.syncing.Wait()
	w.sync()
	return w.file.Close()
}
