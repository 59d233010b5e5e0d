package store

import (
	"iter"
	"slices"
	"strings"
	"sync"
)

// A Memory holds the tables of a [Store] without a file system, for tests that play many lives of
// a store. It promises what a store promises; a crash is a copy. It is not safe for concurrent
// use.
type Memory struct {
	Full bool // simulates a full disk
	// Watch, if set, sees every batch before it is written and may add to it.
	Watch func(b *Batch)

	mu       sync.Mutex
	now      tables
	durable  tables
	unsynced [][]change // written and not yet durable, oldest first
	written  uint64     // number of batches
}

// memoryTables is one more than the greatest table that a Memory can hold.
const memoryTables = 16

// tables hold their keys in order.
type tables [memoryTables]struct {
	keys   []string
	values [][]byte
}

// change is an operation of a batch on a key.
type change struct {
	table Table
	key   string
	value []byte
	kind  changeKind
}

type changeKind uint8

const (
	setKey changeKind = iota
	deleteKey
	deleteBelow
	deleteFrom
)

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
func (m *Memory) Get(t Table, key []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &m.now[t]
	if i, ok := slices.BinarySearch(x.keys, string(key)); ok {
		return x.values[i]
	}
	return nil
}

// scan yields a copy of a range of a table.
func (m *Memory) scan(t Table, from, below []byte) iter.Seq2[KV, error] {
	return func(yield func(KV, error) bool) {
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
			if !yield(KV{[]byte(k), values[i]}, nil) {
				return
			}
		}
	}
}

// last returns the greatest key of a table.
func (m *Memory) last(t Table) (kv KV, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &m.now[t]
	if n := len(x.keys); n > 0 {
		return KV{[]byte(x.keys[n-1]), slices.Clone(x.values[n-1])}, true
	}
	return kv, false
}

// write writes a batch, which is durable after a call of [Memory.sync] with its number.
func (m *Memory) write(all []change) (number uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.apply(all)
	m.unsynced = append(m.unsynced, all)
	m.written++
	return m.written
}

// sync makes all batches up to a number durable.
func (m *Memory) sync(number uint64) {
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

func (x *tables) apply(all []change) {
	for _, c := range all {
		t := &x[c.table]
		i, ok := len(t.keys), false // keys mostly grow
		if n := len(t.keys); n > 0 && strings.Compare(t.keys[n-1], c.key) >= 0 {
			i, ok = slices.BinarySearch(t.keys, c.key)
		}
		switch c.kind {
		case setKey:
			if ok {
				t.values[i] = c.value
			} else {
				t.keys, t.values = slices.Insert(t.keys, i, c.key), slices.Insert(t.values, i, c.value)
			}
		case deleteKey:
			if ok {
				t.keys, t.values = slices.Delete(t.keys, i, i+1), slices.Delete(t.values, i, i+1)
			}
		case deleteBelow:
			t.keys, t.values = slices.Delete(t.keys, 0, i), slices.Delete(t.values, 0, i)
		case deleteFrom:
			t.keys, t.values = slices.Delete(t.keys, i, len(t.keys)), slices.Delete(t.values, i, len(t.values))
		}
	}
}
