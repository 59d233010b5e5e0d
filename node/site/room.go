package site

import (
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

// around is what writing a decision takes in addition to its id and its record: the keys and
// lengths of the store, and a batch of its own.
const around = 240

// room returns how many bytes are reserved for a decision from when it is made until it is
// written a second time. That is with its reward or, if none has come, unchanged when its
// window ends. So neither what the store holds nor how much room there is shows which decisions
// got a reward.
func (c *choice) room(id string) int {
	plain := *c
	plain.parts = nil // as it was made; a part has room in around
	return roomOf(id, plain.bytes())
}

// again reports whether the decision has been written a second time, in its room. Further reports take other room.
func (c *choice) again() bool { return c.rewarded || c.ended }

// roomOf returns the room of a decision that is stored as b.
func roomOf(id string, b []byte) int { return len(id) + len(b) + around }

// writeAgain writes a decision without a reward a second time, in the room that was reserved for
// a reward.
func writeAgain(b *store.Batch, id string, c *choice) {
	before, room := b.Room(), c.room(id)
	b.Set(store.Decision, []byte(id), c.bytes())
	b.Fill(before + room - b.Room())
	b.Reserve(-room)
}

// reserve reserves the room of the decisions that wait for their reward.
func (s *Site) reserve() error {
	total, err := s.reserveLate()
	if err != nil {
		return err
	}
	room := func(id []byte, c *choice) {
		if !c.again() {
			total += c.room(string(id))
		}
	}
	if err = s.scan(store.Due, room); err != nil {
		return err
	}
	err = s.scan(store.InsideDue, func(id []byte, c *choice) {
		if c.kept {
			room(id, c)
			total += lateRoom(string(id))
		}
	})
	if err != nil {
		return err
	}
	s.store.Reserve(total)
	return nil
}

// A late report is noted apart from its decision, by the decision's id: by how much the first one came after the window. Only the
// site's own people see it. The room of a note is reserved from when the decision is made until it is forgotten, and used
// whether a report is late or not, so that nothing shows which ones were.

// lateRoom returns how many bytes are reserved for the note of a decision.
func lateRoom(id string) int { return len(id) + around }

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
