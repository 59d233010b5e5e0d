package dp

import (
	"encoding/binary"

	"peerd.dev/dp/factor"
)

// appendFixed encodes numbers with 64 bits behind the point, whose number is known.
func appendFixed(b []byte, v []factor.Fixed) []byte {
	for _, x := range v {
		hi, lo := x.Words()
		b = binary.AppendVarint(b, hi)
		b = binary.LittleEndian.AppendUint64(b, lo)
	}
	return b
}

// fixed fills v. The whole parts are within ±MaxValue.
func (r *reader) fixed(v []factor.Fixed) {
	for i := range v {
		hi := r.int()
		if len(r.b) < 8 || !within(hi) {
			r.fail()
			return
		}
		v[i] = factor.FixedOf(hi, binary.LittleEndian.Uint64(r.b))
		r.b = r.b[8:]
	}
}
