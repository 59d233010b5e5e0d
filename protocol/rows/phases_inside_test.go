package rows

import "peerd.dev/protocol"

// What the tests of phases see of its inside.
const (
	PhasesRow    = phasesRow
	PhasesDigest = phasesDigest
	PhasesWant   = phasesWant
)

// NewestRows returns the rows that a peer holds, by origin and stream; none of those that it misses.
func NewestRows(p protocol.Protocol) (all []protocol.Message) {
	for _, m := range p.(*phases).Newest {
		if m.Kind() != 0 {
			all = append(all, m)
		}
	}
	return all
}
