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
	if err := loadMessages(r.newest, s.Newest); err != nil {
		return err
	}
	for i := range r.newest {
		if m := &r.newest[i]; m.kind != 0 && (m.kind != rowsRow || int(m.label.Origin) != i ||
			len(m.body) != 1 || m.body[0].Len() != r.c.Arms || m.body[0].Counts() != r.c.Arms) {
			return fmt.Errorf("%w: row %d is not peer %d's", ErrState, i, i)
		}
	}
	if err := loadNumbers(r.served, s.Served); err != nil {
		return err
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
