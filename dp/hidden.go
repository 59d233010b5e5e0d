package dp

import "encoding/binary"

// hiddenNoise is noise that streams of a curator drew and that no Release has alone. It is
// private: the nodes of later leaves will have it.
type hiddenNoise struct {
	fresh    []byte // drawn or restored since the last [Curator.TakeDrawn]
	taken    []byte // what [Curator.Hidden] returns
	recorded []byte // of a replay, not used yet
	short    bool   // recorded was too short
}

// keep records a drawn number.
func (h *hiddenNoise) keep(x int64) { h.fresh = binary.AppendVarint(h.fresh, x) }

// next returns the next recorded number, or 0 if there is none, and records it as drawn.
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

// endStep ends the step whose nodes were taken.
func (h *hiddenNoise) endStep() { h.taken, h.fresh = h.fresh, nil }
