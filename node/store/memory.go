package store

import "iter"

// Memory holds the tables of a [Store] without files, for tests that play many lives of a store:
// package storetest has one. What it promises is what a store promises.
type Memory interface {
	// Get returns a value as it was written last, or nil.
	Get(t Table, key []byte) []byte
	// Scan and Last do what [Store.Scan] and [Store.Last] do.
	Scan(t Table, from, below []byte) iter.Seq2[KV, error]
	Last(t Table) (kv KV, ok bool)
	// Write writes a batch, which is durable once Sync was called with its number or a later one.
	Write(b *Batch) (number uint64)
	Sync(number uint64)
	// Full reports that there is no room.
	Full() bool
}

// A Change is what a batch does to a table.
type Change struct {
	Table Table
	Key   string
	Value []byte
	Kind  ChangeKind
}

// ChangeKind says what a [Change] does.
type ChangeKind uint8

// The kinds of changes.
const (
	SetKey ChangeKind = iota
	DeleteKey
	DeleteBelow // all keys below
	DeleteFrom  // the key and all above
)

// Changes returns what is in a batch for a [Memory].
func (b *Batch) Changes() []Change { return b.m }
