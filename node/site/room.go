package site

import "peerd.dev/node/store"

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
