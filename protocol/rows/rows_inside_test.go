package rows

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// What the tests of rows see of its inside.

const (
	RowsRow    = rowsRow
	RowsDigest = rowsDigest
	RowsWant   = rowsWant
)

// What the tests of phases see of its inside.
const (
	PhasesRow    = phasesRow
	PhasesDigest = phasesDigest
	PhasesWant   = phasesWant
)

// NewestRows returns the rows that a peer holds, by origin and stream; none of those that it misses.
func NewestRows(p protocol.Protocol) (all []protocol.Message) {
	var f *spread.Flood
	switch p := p.(type) {
	case *rows:
		f = &p.Flood
	case *phases:
		f = &p.Flood
	}
	for _, m := range f.Newest {
		if m.Kind() != 0 {
			all = append(all, m)
		}
	}
	return all
}
