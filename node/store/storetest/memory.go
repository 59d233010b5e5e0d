// Package storetest has a store without files, for tests.
package storetest

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"peerd.dev/node/store"
)

// A Memory is a [store.Memory] of which a crash is a copy.
type Memory struct {
	NoRoom bool // simulates a full disk
	// Watch, if set, sees every batch before it is written and may add to it.
	Watch func(b *store.Batch)

	mu       sync.Mutex
	now      tables
	durable  tables
	unsynced [][]store.Change // written and not yet durable, oldest first
	written  uint64           // number of batches
}

// memoryTables is one more than the greatest table that a Memory can hold.
const memoryTables = int(store.Opening) + 1

// tables hold their keys in order.
type tables [memoryTables]struct {
	keys   []string
	values [][]byte
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{} }

// Crash returns what remains after a crash: the durable batches, and the first keep of the
// others.
func (m *Memory) Crash(keep int) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &Memory{Watch: m.Watch, durable: m.durable.clone()}
	for _, b := range m.unsynced[:min(keep, len(m.unsynced))] {
		c.durable.apply(b)
	}
	c.now = c.durable.clone()
	return c
}

// Unsynced returns how many batches are not durable.
func (m *Memory) Unsynced() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.unsynced)
}

// Get returns the value written last, or nil. The caller must not change it.
func (m *Memory) Get(t store.Table, key []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &m.now[t]
	if i, ok := slices.BinarySearch(x.keys, string(key)); ok {
		return x.values[i]
	}
	return nil
}

// Scan yields a copy of a range of a table.
func (m *Memory) Scan(t store.Table, from, below []byte) iter.Seq2[store.KV, error] {
	return func(yield func(store.KV, error) bool) {
		m.mu.Lock()
		x := &m.now[t]
		lo, _ := slices.BinarySearch(x.keys, string(from))
		hi := len(x.keys)
		if below != nil {
			hi, _ = slices.BinarySearch(x.keys, string(below))
		}
		hi = max(lo, hi)
		keys, values := slices.Clone(x.keys[lo:hi]), slices.Clone(x.values[lo:hi])
		m.mu.Unlock()
		for i, k := range keys {
			if !yield(store.KV{Key: []byte(k), Value: values[i]}, nil) {
				return
			}
		}
	}
}

// Last returns the greatest key of a table.
func (m *Memory) Last(t store.Table) (kv store.KV, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &m.now[t]
	if n := len(x.keys); n > 0 {
		return store.KV{Key: []byte(x.keys[n-1]), Value: slices.Clone(x.values[n-1])}, true
	}
	return kv, false
}

// Full reports NoRoom.
func (m *Memory) Full() bool { return m.NoRoom }

// Write writes a batch, which is durable after a call of [Memory.Sync] with its number.
func (m *Memory) Write(b *store.Batch) (number uint64) {
	if m.Watch != nil {
		m.Watch(b)
	}
	all := b.Changes()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.apply(all)
	m.unsynced = append(m.unsynced, all)
	m.written++
	return m.written
}

// Sync makes all batches up to a number durable.
func (m *Memory) Sync(number uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.written-uint64(len(m.unsynced)) < number {
		m.durable.apply(m.unsynced[0])
		m.unsynced = m.unsynced[1:]
	}
}

func (x *tables) clone() (c tables) {
	for t := range x {
		c[t].keys, c[t].values = slices.Clone(x[t].keys), slices.Clone(x[t].values)
	}
	return c
}

func (x *tables) apply(all []store.Change) {
	for _, c := range all {
		t := &x[c.Table]
		i, ok := len(t.keys), false // keys mostly grow
		if n := len(t.keys); n > 0 && strings.Compare(t.keys[n-1], c.Key) >= 0 {
			i, ok = slices.BinarySearch(t.keys, c.Key)
		}
		switch c.Kind {
		case store.SetKey:
			if ok {
				t.values[i] = c.Value
			} else {
				t.keys, t.values = slices.Insert(t.keys, i, c.Key), slices.Insert(t.values, i, c.Value)
			}
		case store.DeleteKey:
			if ok {
				t.keys, t.values = slices.Delete(t.keys, i, i+1), slices.Delete(t.values, i, i+1)
			}
		case store.DeleteBelow:
			t.keys, t.values = slices.Delete(t.keys, 0, i), slices.Delete(t.values, 0, i)
		case store.DeleteFrom:
			t.keys, t.values = slices.Delete(t.keys, i, len(t.keys)), slices.Delete(t.values, i, len(t.values))
		}
	}
}

// Written yields the keys and values that a batch writes to a table.
func Written(b *store.Batch, t store.Table) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, c := range b.Changes() {
			if c.Table == t && c.Kind == store.SetKey && !yield(c.Key, c.Value) {
				return
			}
		}
	}
}
