package dp

import "encoding/binary"

// hiddenNoise is noise that streams of a curator drew and that no Release has alone. It is private:
// the nodes of leaves to come will have it.
type hiddenNoise struct {
	fresh    []byte // drawn or restored since the last [Curator.TakeDrawn]
	taken    []byte // what [Curator.Hidden] returns
	recorded []byte // of a replay, still to come
	short    bool   // recorded did not last
}

// keep notes a number that was drawn.
func (h *hiddenNoise) keep(x int64) { h.fresh = binary.AppendVarint(h.fresh, x) }

// next returns the next recorded number, 0 without one, and notes it as drawn.
func (h *hiddenNoise) next() int64 {
	x, n := binary.Varint(h.recorded)
	if n <= 0 {
		h.recorded, h.short = nil, true
		return 0
	}
	h.recorded = h.recorded[n:]
	h.keep(x)
	return x
}

// endStep ends the step whose nodes are taken.
func (h *hiddenNoise) endStep() { h.taken, h.fresh = h.fresh, nil }

// Hidden returns the noise that came with the nodes which [Curator.TakeDrawn] returned last and is
// in none of them alone. It must be as durable as they are, and go no further: [Curator.Replay]
// restores it. Most mechanisms hide nothing, and with a seeded [Source] nothing need be kept.
func (d *Curator) Hidden() Secret { return Secret{d.arena.hidden.taken} }
