package store

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// A Batch is written completely or not at all.
type Batch struct {
	s *Store
	b *pebble.Batch
	k []byte   // scratch
	m []Change // of a store in memory

	quiet    bool
	reserved int // bytes set aside, or given back if negative

	records uint64 // records in the ledger after the batch; 0 if it adds none
	head    [32]byte
}

// Batch returns an empty batch.
func (s *Store) Batch() *Batch {
	if s.memory != nil {
		return &Batch{s: s}
	}
	return &Batch{s: s, b: s.db.NewBatch()}
}

// Quiet keeps the batch from [Options.Observe] and from the schedule of [Store.Look]: when such a
// batch is written follows from private data, and its room was reserved before.
func (b *Batch) Quiet() { b.quiet = true }

// Reserve sets bytes aside for a later batch, which releases them with a negative number.
// Reserved bytes do not count as free, so writing them does not change what [Store.Low] and
// [Store.Full] report.
func (b *Batch) Reserve(bytes int) { b.reserved += bytes }

// Bytes that a batch takes in the log in addition to its keys and values.
const (
	markRoom  = 4 + markSize // the store's mark: kind, key and lengths
	frameRoom = 11           // a frame of the log; one more if it crosses a block boundary
)

// Room returns how many bytes of the log the batch takes.
func (b *Batch) Room() int { return b.Len() + markRoom + frameRoom }

// Fill adds a number of bytes that are never read, at least 2. It makes batches with different
// contents take the same reserved room.
func (b *Batch) Fill(bytes int) {
	const kindAndLength, most = 2, 127 // of a record
	for b.b != nil && bytes >= kindAndLength {
		n := min(bytes-kindAndLength, most)
		if bytes == most+kindAndLength+1 {
			n-- // otherwise one byte would remain
		}
		b.must(b.b.LogData(make([]byte, n), nil))
		bytes -= kindAndLength + n
	}
}

// Len returns the size of the batch in bytes.
func (b *Batch) Len() (n int) {
	if b.b != nil {
		return b.b.Len()
	}
	for _, c := range b.m {
		n += len(c.Key) + len(c.Value)
	}
	return n
}

// Set writes a key and its value.
func (b *Batch) Set(t Table, key, value []byte) {
	if b.s.memory != nil {
		b.m = append(b.m, Change{t, string(key), append([]byte{}, value...), SetKey})
		return
	}
	if t == Ledger {
		b.records, b.head = ReadNumber(key)+1, sha256.Sum256(value)
	}
	b.k = append(append(b.k[:0], byte(t)), key...)
	b.must(b.b.Set(b.k, value, nil))
}

// Delete removes a key and its value.
func (b *Batch) Delete(t Table, key []byte) {
	if b.s.memory != nil {
		b.m = append(b.m, Change{Table: t, Key: string(key), Kind: DeleteKey})
		return
	}
	b.k = append(append(b.k[:0], byte(t)), key...)
	b.must(b.b.Delete(b.k, nil))
}

// DeleteBelow removes all keys of a table below key, with their values.
func (b *Batch) DeleteBelow(t Table, key []byte) {
	if b.s.memory != nil {
		b.m = append(b.m, Change{Table: t, Key: string(key), Kind: DeleteBelow})
		return
	}
	b.k = append(append(b.k[:0], byte(t)), key...)
	b.must(b.b.DeleteRange([]byte{byte(t)}, b.k, nil))
}

// DeleteFrom removes the keys of a table from key on, with their values.
func (b *Batch) DeleteFrom(t Table, key []byte) {
	if b.s.memory != nil {
		b.m = append(b.m, Change{Table: t, Key: string(key), Kind: DeleteFrom})
		return
	}
	b.k = append(append(b.k[:0], byte(t)), key...)
	b.must(b.b.DeleteRange(b.k, []byte{byte(t) + 1}, nil))
}

// must panics if an operation on a batch in memory fails, which cannot happen below 4 GiB.
func (b *Batch) must(err error) {
	if err != nil {
		panic(err)
	}
}

// Empty reports whether the batch has no operations.
func (b *Batch) Empty() bool { return len(b.m) == 0 && (b.b == nil || b.b.Empty()) }

// Drop discards the batch.
func (b *Batch) Drop() {
	if b.b != nil {
		_ = b.b.Close()
	}
}

// A Pending is a batch that readers already see, but that a crash can still undo.
type Pending struct {
	s     *Store
	b     *pebble.Batch
	since time.Time
	quiet bool
	mark  Mark
	n     uint64 // of a store in memory
}

// Apply writes the batch. Batches become durable in the order of the calls of Apply.
func (b *Batch) Apply() Pending {
	if m := b.s.memory; m != nil {
		return Pending{s: b.s, n: m.Write(b)}
	}
	since := time.Now()
	b.s.reserved.Add(int64(b.reserved))
	if !b.quiet { // its room was counted when it was reserved
		b.s.free.Add(-int64(b.b.Len() + b.reserved))
	}
	m, err := b.apply(since)
	if err != nil {
		b.s.fatal(fmt.Errorf("store: %w", err))
	}
	return Pending{s: b.s, b: b.b, since: since, quiet: b.quiet, mark: m}
}

// apply adds the mark to the batch and writes it. Batches are numbered in the order in which they
// are written.
func (b *Batch) apply(at time.Time) (m Mark, err error) {
	s := b.s
	s.applying.Lock()
	defer s.applying.Unlock()
	defer guard(&err)
	m = s.mark
	m.Batch++
	if b.records > 0 {
		m.Records, m.Head = b.records, b.head
	}
	b.must(b.b.Set(append(b.k[:0], byte(mark)), m.bytes(), nil))
	if err = s.db.ApplyNoSyncWait(b.b, pebble.Sync); err == nil {
		s.mark = m
		s.crowd.count(m.Batch, at)
	}
	return m, err
}

// Wait returns when the batch is durable. It must be called once.
func (p Pending) Wait() error {
	if p.s.memory != nil {
		p.s.memory.Sync(p.n)
		return nil
	}
	if err := p.b.SyncWait(); err != nil {
		p.s.fatal(fmt.Errorf("store: %w", err))
		return fmt.Errorf("store: %w", err)
	}
	if w := p.s.watermark; w != nil {
		w.set(p.mark)
	}
	if !p.quiet {
		p.s.observe(time.Since(p.since))
	}
	return p.b.Close()
}

// Commit writes the batch and waits until it is durable.
func (b *Batch) Commit() error { return b.Apply().Wait() }
