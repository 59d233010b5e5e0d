package site

import "fmt"

// recentSize is how many decisions are kept in memory, of some 150 bytes each without features.
const recentSize = 1 << 16

// recent keeps decisions whose windows have not been settled, in their stored form, so that an
// early report does not need to read the store. It contains what applied batches contain, and can
// be dropped at any time.
type recent struct {
	of   map[string][]byte // by id
	ring []string          // ids in the order in which they came; settled ones stay in it
	next int               // place in a full ring
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (recent) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// put keeps the stored form of a decision, without copying it.
func (r *recent) put(id string, value []byte) {
	if _, known := r.of[id]; !known {
		switch {
		case r.of == nil:
			r.of = make(map[string][]byte)
			r.ring = append(r.ring, id)
		case len(r.ring) < recentSize:
			r.ring = append(r.ring, id)
		default:
			delete(r.of, r.ring[r.next])
			r.ring[r.next] = id
			r.next = (r.next + 1) % recentSize
		}
	}
	r.of[id] = value
}

// drop forgets a decision whose reward was observed.
func (r *recent) drop(id string) { delete(r.of, id) }
