package protocol

// What the tests of rows see of its inside.

const (
	RowsRow    = rowsRow
	RowsDigest = rowsDigest
	RowsWant   = rowsWant
)

// NewestRows returns the rows that a peer holds, by origin; none of those that it misses.
func NewestRows(p Protocol) (all []Message) {
	for _, m := range p.(*rows).newest {
		if m.kind != 0 {
			all = append(all, m)
		}
	}
	return all
}
