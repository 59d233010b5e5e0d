package protocol

import "fmt"

// rowsState is what rows remembers; the rest follows from it.
type rowsState struct {
	Newest               [][]byte
	Slot, Closed, Pulled uint64
	Served               []bool
	Silent               bool
	Pulls                []uint64
}

// Save implements [Protocol].
func (r *rows) Save() ([]byte, error) {
	return saveState(rowsState{savedMessages(r.newest), r.slot, r.closed, r.pulled, r.served, r.silent, r.belief.Pulls})
}

// Load implements [Protocol].
func (r *rows) Load(b []byte) error {
	var s rowsState
	if err := loadState(b, &s); err != nil {
		return err
	}
	if len(s.Newest) > len(r.newest) {
		return fmt.Errorf("%w: rows of %d peers, want %d", ErrState, len(s.Newest), len(r.newest))
	}
	if err := loadMessages(r.newest[:len(s.Newest)], s.Newest); err != nil { // a network grows at its end
		return err
	}
	for i := range r.newest {
		if m := &r.newest[i]; m.kind != 0 && (m.kind != rowsRow || int(m.label.Origin) != i ||
			len(m.body) != 1 || m.body[0].Len() != r.c.Arms || m.body[0].Counts() != r.c.Arms) {
			return fmt.Errorf("%w: row %d is not peer %d's", ErrState, i, i)
		}
		// Signatures are bound to what peers agree on. After a change of that, others
		// would refuse the row, and its origin makes a new one.
		if m := &r.newest[i]; m.kind != 0 && !r.c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig) {
			*m = noMessage()
		}
	}
	if len(s.Served) == len(r.served) { // else there are other neighbours
		copy(r.served, s.Served)
	}
	if err := loadNumbers(r.belief.Pulls, s.Pulls); err != nil {
		return err
	}
	r.slot, r.closed, r.pulled, r.silent = s.Slot, s.Closed, s.Pulled, s.Silent
	for k := range r.stale {
		r.stale[k] = true
	}
	return nil
}
