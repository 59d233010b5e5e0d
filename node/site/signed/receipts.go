package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

const (
	receiptDays  = 400              // for which receipts are kept
	receiptAhead = 10 * time.Minute // by which a witness's clock may be ahead of this one's
	secondsOfDay = 24 * 60 * 60
)

// receipts are what neighbours have signed about this peer's ledger. Of each witness the newest of each day is kept, so that the table
// does not grow with what a neighbour answers.
type receipts struct {
	newest  map[string]protocol.Receipt // by witness
	unsaved map[string]protocol.Receipt // by key in the store
}

// OnReceipt records a neighbour's receipt, which is stored with the next step, if the ledger contains its checkpoint.
func (s *Site) OnReceipt(r protocol.Receipt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	if why, err := s.refuses(&r); err != nil {
		s.log.Error("store", "err", err)
	} else if why != "" {
		s.log.Debug("a receipt is not kept", "witness", r.Witness, "of", r.Checkpoint, "reason", why)
	} else {
		s.receipts.newest[r.Witness] = r
		s.receipts.unsaved[string(receiptDay(s.c.Now()))+r.Witness] = r
	}
}

// refuses returns why a receipt is not kept; "" if it is.
func (s *Site) refuses(r *protocol.Receipt) (string, error) {
	line, err := s.store.Get(store.Ledger, store.Number(r.Records-1))
	newest := s.receipts.newest[r.Witness]
	switch {
	case err != nil:
		return "", err
	case line == nil || ledger.HashOf(line) != r.Head:
		return "it is not on this ledger", nil
	case time.Unix(r.Time, 0).After(s.c.Now().Add(receiptAhead)):
		return "its time is in the future", nil
	case r.Time <= newest.Time || r.Records < newest.Records:
		return "a newer one is kept", nil
	}
	return "", nil
}

// receiptDay returns the beginning of the keys of receipts that arrive at a time.
func receiptDay(t time.Time) []byte { return store.Number(uint64(max(0, t.Unix()) / secondsOfDay)) }

// storeReceipts stores the receipts that arrived since the last step, and removes old ones.
func (s *Site) storeReceipts(b *store.Batch) {
	if len(s.receipts.unsaved) == 0 {
		return
	}
	for key, r := range s.receipts.unsaved {
		b.Set(store.Receipt, []byte(key), r.Bytes())
	}
	clear(s.receipts.unsaved)
	b.DeleteBelow(store.Receipt, receiptDay(s.c.Now().AddDate(0, 0, -receiptDays)))
}

// readReceipts reads the newest stored receipt of each witness.
func (s *Site) readReceipts() error {
	s.receipts = receipts{newest: make(map[string]protocol.Receipt), unsaved: make(map[string]protocol.Receipt)}
	all, err := receiptsIn(s.store, nil)
	for _, r := range all {
		s.receipts.newest[r.Witness] = r
	}
	return err
}

// Receipts returns what neighbours have signed about this peer's ledger, by witness and then by time, and what other peers have signed
// about theirs, by the id of the key.
func (s *Site) Receipts() (of []protocol.Receipt, known []Known, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, nil, nil
	}
	return signedIn(s.store, s.receipts.unsaved)
}

// Receipts returns what [Site.Receipts] does, from a store.
func Receipts(st *store.Store) (of []protocol.Receipt, known []Known, err error) {
	return signedIn(st, nil)
}

func signedIn(st *store.Store, unsaved map[string]protocol.Receipt) (of []protocol.Receipt, known []Known, err error) {
	if of, err = receiptsIn(st, unsaved); err != nil {
		return nil, nil, err
	}
	all, err := checkpointsIn(st)
	for _, c := range all {
		if c.Key != "" {
			known = append(known, c)
		}
	}
	slices.SortFunc(known, func(a, b Known) int { return cmp.Compare(a.Key, b.Key) })
	return of, known, err
}

// receiptsIn returns the receipts in a store, and those that are not stored yet.
func receiptsIn(st *store.Store, unsaved map[string]protocol.Receipt) ([]protocol.Receipt, error) {
	all := make(map[string]protocol.Receipt)
	for e, err := range st.Scan(store.Receipt, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) <= 8 || len(e.Value) != protocol.ReceiptSize {
			return nil, fmt.Errorf("%w: receipt of a neighbour", ErrDamaged)
		}
		all[string(e.Key)] = protocol.ParseReceipt(e.Value, string(e.Key[8:]))
	}
	maps.Copy(all, unsaved)
	return slices.SortedFunc(maps.Values(all), func(a, b protocol.Receipt) int {
		return cmp.Or(cmp.Compare(a.Witness, b.Witness), cmp.Compare(a.Time, b.Time))
	}), nil
}
