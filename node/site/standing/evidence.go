package site

import (
	"slices"

	"peerd.dev/dp/state"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// rollbackEvidence is what a peer remembers that is missing here.
type rollbackEvidence struct {
	Peer    protocol.Peer
	Records uint64
	Head    ledger.Hash
	Fork    bool // both histories have continued, so what was released is not known
}

func (x *rollbackEvidence) fields(v *state.Visitor) {
	state.Number(v, &x.Peer)
	v.Uint(&x.Records)
	array(v, x.Head[:])
	v.Bool(&x.Fork)
}

func (x *rollbackEvidence) bytes() []byte { return state.Save(evidenceVersion, x.fields) }

func parseEvidence(b []byte) (x rollbackEvidence, err error) {
	err = decode("rollback evidence", b, evidenceVersion, evidenceVersion, x.fields)
	return x, err
}

// had returns how many of the records here neighbours have confirmed or, after [Site.Recover],
// how many it knew of: later records are about abandoned leaves.
func (s *Site) had() uint64 {
	switch {
	case s.recovered():
		return s.life.Taken
	case len(s.awaited()) == 0:
		return s.chain.Next
	}
	return s.confirmed.kept
}

// has reports whether the ledger once had the length in m, with m's head. For a neighbour that
// the operator excluded from the recovery, only records from the gap on count; once this life is open, others may have
// heard of the records from such a neighbour.
func (s *Site) has(id string, m protocol.Checkpoint) (bool, error) {
	switch {
	case m.Records <= s.life.Taken, m.Records <= s.life.Gap && (slices.Contains(s.life.Without, id) || s.life.Opened && len(s.life.Without) > 0):
		return true, nil
	case m.Records > s.chain.Next:
		return false, nil
	case m.Records == s.chain.Next:
		return m.Head == s.chain.Head, nil
	}
	line, err := s.store.Get(store.Ledger, store.Number(m.Records-1))
	return line != nil && ledger.HashOf(line) == m.Head, err
}
