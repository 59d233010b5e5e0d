package running

import (
	"reflect"

	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// RowsDigest is what the tests of rows see of its inside.
const RowsDigest = rowsDigest

// NewestRows returns the rows that a peer holds, by origin and stream, also one with protocol phases; none of those that it misses.
func NewestRows(p protocol.Protocol) (all []protocol.Message) {
	for _, m := range reflect.ValueOf(p).Elem().FieldByName("Flood").Addr().Interface().(*spread.Flood).Newest {
		if m.Kind() != 0 {
			all = append(all, m)
		}
	}
	return all
}
