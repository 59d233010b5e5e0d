package store

import (
	"errors"
	"iter"

	"github.com/cockroachdb/pebble/v2"
)

// Get returns a value, or nil if there is none.
func (s *Store) Get(t Table, key []byte) (out []byte, err error) {
	if s.memory != nil {
		return s.memory.Get(t, key), nil
	}
	var room [64]byte
	out, err = s.get(append(append(room[:0], byte(t)), key...))
	return out, s.failed(err)
}

func (s *Store) get(key []byte) (out []byte, err error) {
	defer guard(&err)
	v, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out = append([]byte{}, v...)
	return out, closer.Close()
}

// A KV is a key and its value. Both are valid until the scan continues.
type KV struct{ Key, Value []byte }

// Scan yields the keys of a table from one key and below another, with their values, in order;
// nil is the end of the table. A scan sees the store as it was when it began.
func (s *Store) Scan(t Table, from, below []byte) iter.Seq2[KV, error] {
	if s.memory != nil {
		return s.memory.Scan(t, from, below)
	}
	return func(yield func(KV, error) bool) {
		o := &pebble.IterOptions{LowerBound: append([]byte{byte(t)}, from...), UpperBound: []byte{byte(t) + 1}}
		if below != nil {
			o.UpperBound = append([]byte{byte(t)}, below...)
		}
		it, err := s.db.NewIter(o)
		if err != nil {
			yield(KV{}, s.failed(err))
			return
		}
		defer func() { _ = it.Close() }() // its error is reported below
		for first := true; ; first = false {
			kv, ok, err := next(it, first)
			if err != nil {
				yield(KV{}, s.failed(err))
			}
			if !ok || !yield(kv, nil) {
				return
			}
		}
	}
}

// next moves an iterator and returns what it is at; ok is false at the end and after an error.
func next(it *pebble.Iterator, first bool) (kv KV, ok bool, err error) {
	defer guard(&err)
	if first {
		ok = it.First()
	} else {
		ok = it.Next()
	}
	if !ok {
		return kv, false, it.Error()
	}
	kv.Key = it.Key()[1:]
	kv.Value, err = it.ValueAndErr()
	return kv, err == nil, err
}

// Last returns the greatest key of a table with its value; ok is false for an empty table.
func (s *Store) Last(t Table) (kv KV, ok bool, err error) {
	if s.memory != nil {
		kv, ok = s.memory.Last(t)
		return kv, ok, nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{byte(t)}, UpperBound: []byte{byte(t) + 1}})
	if err != nil {
		return kv, false, s.failed(err)
	}
	kv, ok, err = last(it)
	if e := it.Close(); err == nil {
		err = e
	}
	return kv, ok, s.failed(err)
}

func last(it *pebble.Iterator) (kv KV, ok bool, err error) {
	defer guard(&err)
	if ok = it.Last(); ok {
		kv = KV{append([]byte{}, it.Key()[1:]...), append([]byte{}, it.Value()...)}
	}
	return kv, ok, it.Error()
}
