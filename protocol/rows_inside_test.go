package protocol

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
func NewestRows(p Protocol) (all []Message) {
	var f *flood
	switch p := p.(type) {
	case *rows:
		f = &p.flood
	case *phases:
		f = &p.flood
	}
	for _, m := range f.newest {
		if m.kind != 0 {
			all = append(all, m)
		}
	}
	return all
}
