package site

import "peerd.dev/node/store"

// around is what writing a decision takes beside its id and its record: the keys and lengths of the
// store, and a batch of its own.
const around = 240

// room returns how many bytes are reserved for a decision from when it is made until it is written a
// second time: with its reward or, if none has come, as it is when its window ends. So what the
// store holds, and how much room there is, does not show which decisions got a reward.
func (c *choice) room(id string) int { return roomOf(id, c.bytes()) }

// roomOf is the room of what is stored as b.
func roomOf(id string, b []byte) int { return len(id) + len(b) + around }

// writeAgain writes a decision without a reward a second time, in the room that was reserved for one.
func writeAgain(b *store.Batch, id string, c *choice) {
	before, room := b.Room(), c.room(id)
	b.Set(store.Decision, []byte(id), c.bytes())
	b.Fill(before + room - b.Room())
	b.Reserve(-room)
}

// reserve sets aside the room of the decisions that wait for their reward.
func (s *Site) reserve() error {
	total := 0
	for due, err := range s.store.Scan(store.Due, nil, nil) {
		if err != nil {
			return err
		}
		v, err := s.store.Get(store.Decision, due.Value)
		if err != nil {
			return err
		}
		c, err := parseChoice(v, s.c.shape())
		if err != nil {
			return err
		}
		if !c.rewarded {
			total += c.room(string(due.Value))
		}
	}
	s.store.Reserve(total)
	return nil
}
