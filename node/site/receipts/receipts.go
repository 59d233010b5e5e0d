// Package receipts keeps what neighbours have signed about this peer's ledger.
package receipts

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

const (
	// Days is the number of days for which receipts are kept.
	Days         = 400
	ahead        = 10 * time.Minute // by which a witness's clock may be ahead of this one's
	secondsOfDay = 24 * 60 * 60
)

// A Receipt is a statement that a witness signs: at a time, it remembered a checkpoint of another peer's ledger.
type Receipt struct {
	protocol.Checkpoint
	Time      int64  // Unix time in seconds, by the witness's clock
	Witness   string // id of the key of the signature
	Signature [64]byte
}

// Size is the size of [Receipt.Bytes].
const Size = 8 + 32 + 8 + 64

// Bytes returns the receipt without its witness: records, head, time and signature.
func (r *Receipt) Bytes() []byte {
	b := append(binary.BigEndian.AppendUint64(make([]byte, 0, Size), r.Records), r.Head[:]...)
	return append(binary.BigEndian.AppendUint64(b, uint64(r.Time)), r.Signature[:]...)
}

// Parse reads what [Receipt.Bytes] returns, which has [Size] bytes.
func Parse(b []byte, witness string) Receipt {
	r := Receipt{Checkpoint: protocol.Checkpoint{Records: binary.BigEndian.Uint64(b), Head: [32]byte(b[8:])}, Witness: witness}
	r.Time, r.Signature = int64(binary.BigEndian.Uint64(b[40:])), [64]byte(b[48:])
	return r
}

// Kept are the receipts of a site. Of each witness the newest of each day is kept, so that the table does not grow with what a
// neighbour answers.
type Kept struct {
	now     func() time.Time
	mu      sync.Mutex
	store   *store.Store       // nil before Open and after Close
	newest  map[string]Receipt // by witness
	unsaved map[string]Receipt // by key in the store
	saving  map[string]Receipt // the same of the newest batch, which may not be applied yet
}

// New returns receipts that are kept by a clock.
func New(now func() time.Time) *Kept {
	return &Kept{now: now, newest: make(map[string]Receipt), unsaved: make(map[string]Receipt)}
}

// Open reads the receipts that earlier starts stored.
func (k *Kept) Open(st *store.Store) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.store = st
	all, err := In(st)
	for _, r := range all {
		k.newest[r.Witness] = r
	}
	return err
}

// Close is called before the store is closed. From then on there are no receipts.
func (k *Kept) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.store = nil
}

// Read reads the store, unless it is closed.
func (k *Kept) Read(do func(st *store.Store) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.store == nil {
		return nil
	}
	return do(k.store)
}

// Add keeps a neighbour's receipt, which is stored with the next step, if the ledger contains its checkpoint. It
// returns why it is not kept; "" if it is.
func (k *Kept) Add(r Receipt) (why string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.store == nil {
		return "the site is closed", nil
	}
	line, err := k.store.Get(store.Ledger, store.Number(r.Records-1))
	newest := k.newest[r.Witness]
	switch {
	case err != nil:
		return "", err
	case line == nil || ledger.HashOf(line) != r.Head:
		return "it is not on this ledger", nil
	case time.Unix(r.Time, 0).After(k.now().Add(ahead)):
		return "its time is in the future", nil
	case r.Time <= newest.Time || r.Records < newest.Records:
		return "a newer one is kept", nil
	}
	k.newest[r.Witness] = r
	k.unsaved[string(day(k.now()))+r.Witness] = r
	return "", nil
}

// day returns the beginning of the keys of receipts that arrive at a time.
func day(t time.Time) []byte { return store.Number(uint64(max(0, t.Unix()) / secondsOfDay)) }

// Save stores the receipts that arrived since the last step, and removes old ones.
func (k *Kept) Save(b *store.Batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.unsaved) == 0 {
		return
	}
	for key, r := range k.unsaved {
		b.Set(store.Receipt, []byte(key), r.Bytes())
	}
	k.saving, k.unsaved = k.unsaved, make(map[string]Receipt)
	b.DeleteBelow(store.Receipt, day(k.now().AddDate(0, 0, -Days)))
}

// All returns the receipts, by witness and then by time.
func (k *Kept) All() (all []Receipt, err error) {
	err = k.Read(func(st *store.Store) (err error) {
		all, err = in(st, k.saving, k.unsaved)
		return err
	})
	return all, err
}

// In returns the receipts in a store, by witness and then by time.
func In(st *store.Store) ([]Receipt, error) { return in(st) }

func in(st *store.Store, newer ...map[string]Receipt) ([]Receipt, error) {
	all := make(map[string]Receipt)
	for e, err := range st.Scan(store.Receipt, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) <= 8 || len(e.Value) != Size {
			return nil, fmt.Errorf("%w: receipt of a neighbour", form.ErrDamaged)
		}
		all[string(e.Key)] = Parse(e.Value, string(e.Key[8:]))
	}
	for _, m := range newer {
		maps.Copy(all, m)
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Receipt) int {
		return cmp.Or(cmp.Compare(a.Witness, b.Witness), cmp.Compare(a.Time, b.Time))
	}), nil
}
