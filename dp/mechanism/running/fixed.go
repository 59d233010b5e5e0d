package running

import (
	"encoding/binary"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/state"
)

// fixed visits numbers with 64 bits after the point in place, without their number. Integer parts
// are within ±[MaxValue].
func fixed(v *state.Visitor, x []factor.Fixed) {
	for i := range x {
		hi, low := x[i].Words()
		var lo [8]byte
		binary.LittleEndian.PutUint64(lo[:], low)
		v.Int(&hi)
		v.Array(lo[:])
		v.Check(hi <= mechanism.MaxValue && hi >= -mechanism.MaxValue, "%d, at most %d either way", hi, int64(mechanism.MaxValue))
		if v.Loading() {
			x[i] = factor.FixedOf(hi, binary.LittleEndian.Uint64(lo[:]))
		}
	}
}
