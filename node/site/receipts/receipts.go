package signed

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

const (
	// ReceiptDays is the number of days for which receipts are kept.
	ReceiptDays  = 400
	receiptAhead = 10 * time.Minute // by which a witness's clock may be ahead of this one's
	secondsOfDay = 24 * 60 * 60
)

// Receipt records a neighbour's receipt, which is stored with the next step, if the ledger contains its checkpoint. It
// returns why it is not kept; "" if it is.
func (s *Statements) Receipt(r protocol.Receipt, now time.Time) (why string, err error) {
	line, err := s.store.Get(store.Ledger, store.Number(r.Records-1))
	newest := s.newest[r.Witness]
	switch {
	case err != nil:
		return "", err
	case line == nil || ledger.HashOf(line) != r.Head:
		return "it is not on this ledger", nil
	case time.Unix(r.Time, 0).After(now.Add(receiptAhead)):
		return "its time is in the future", nil
	case r.Time <= newest.Time || r.Records < newest.Records:
		return "a newer one is kept", nil
	}
	s.newest[r.Witness] = r
	s.unsaved[string(receiptDay(now))+r.Witness] = r
	return "", nil
}

// receiptDay returns the beginning of the keys of receipts that arrive at a time.
func receiptDay(t time.Time) []byte { return store.Number(uint64(max(0, t.Unix()) / secondsOfDay)) }

// saveReceipts stores the receipts that arrived since the last step, and removes old ones.
func (s *Statements) saveReceipts(b *store.Batch, now time.Time) {
	if len(s.unsaved) == 0 {
		return
	}
	for key, r := range s.unsaved {
		b.Set(store.Receipt, []byte(key), r.Bytes())
	}
	clear(s.unsaved)
	b.DeleteBelow(store.Receipt, receiptDay(now.AddDate(0, 0, -ReceiptDays)))
}

// receiptsIn returns the receipts in a store, and those that are not stored yet.
func receiptsIn(st *store.Store, unsaved map[string]protocol.Receipt) ([]protocol.Receipt, error) {
	all := make(map[string]protocol.Receipt)
	for e, err := range st.Scan(store.Receipt, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) <= 8 || len(e.Value) != protocol.ReceiptSize {
			return nil, fmt.Errorf("%w: receipt of a neighbour", form.ErrDamaged)
		}
		all[string(e.Key)] = protocol.ParseReceipt(e.Value, string(e.Key[8:]))
	}
	maps.Copy(all, unsaved)
	return slices.SortedFunc(maps.Values(all), func(a, b protocol.Receipt) int {
		return cmp.Or(cmp.Compare(a.Witness, b.Witness), cmp.Compare(a.Time, b.Time))
	}), nil
}
