package site

import (
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

// A late report is noted apart from its decision, by the decision's id: by how much the first one came after the window. Only the
// site's own people see it. The room of a note is reserved from when the decision is made until it is forgotten, and used
// whether a report is late or not, so that nothing shows which ones were.

// lateRoom returns how many bytes are reserved for the note of a decision.
func lateRoom(id string) int { return len(id) + around }

// lose notes that a report of a decision is refused as late. A disk with little room takes no notes.
func (x *tx) lose(id string, c *choice) error {
	if x.site.lacks(c) {
		return nil
	}
	if noted, err := x.site.store.Get(store.Late, []byte(id)); noted != nil || err != nil || x.noted[id] {
		return err
	}
	if x.noted == nil {
		x.noted = make(map[string]bool)
	}
	x.noted[id] = true
	by := max(time.Millisecond, x.now.Sub(c.expires))
	x.batch.Set(store.Late, []byte(id), state.Save(lateVersion, func(v *state.Visitor) { millis(v, &by) }))
	x.batch.Reserve(-lateRoom(id))
	x.fill += lateRoom(id)
	return nil
}

// lateBy returns by how much the first late report of a decision came after its window; 0 for none.
func lateBy(st *store.Store, id []byte) (by time.Duration, err error) {
	b, err := st.Get(store.Late, id)
	if b == nil || err != nil {
		return 0, err
	}
	err = form.Decode("late report", b, lateVersion, lateVersion, func(v *state.Visitor) { millis(v, &by) })
	return by, err
}

// forgetLate removes the note of a decision that is forgotten, or uses its room.
func (s *Site) forgetLate(b *store.Batch, id []byte) error {
	noted, err := s.store.Get(store.Late, id)
	if err != nil {
		return err
	}
	before, room := b.Len(), len(id)+8 // of a deletion
	if noted == nil {                  // deletions of what is not there would fill the store's memory
		room += lateRoom(string(id))
		b.Reserve(-lateRoom(string(id)))
	} else {
		b.Delete(store.Late, id)
	}
	b.Fill(room - (b.Len() - before))
	return nil
}

// reserveLate returns the room of all notes that are not made.
func (s *Site) reserveLate() (total int, err error) {
	for _, t := range []store.Table{store.Due, store.Past, store.InsidePast} {
		for e, err := range s.store.Scan(t, nil, nil) {
			if err != nil {
				return 0, err
			}
			total += lateRoom(string(e.Value))
		}
	}
	for e, err := range s.store.Scan(store.Late, nil, nil) {
		if err != nil {
			return 0, err
		}
		total -= lateRoom(string(e.Key))
	}
	return total, nil
}
