package standing

import (
	"slices"

	"peerd.dev/dp/state"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/protocol"
)

// evidenceVersion is the version of stored evidence.
const evidenceVersion = 2

// Evidence is what a peer remembers that is missing here.
type Evidence struct {
	Peer    protocol.Peer
	Records uint64
	Head    ledger.Hash
	Fork    bool // both histories have continued, so what was released is not known
}

func (x *Evidence) fields(v *state.Visitor) {
	state.Number(v, &x.Peer)
	v.Uint(&x.Records)
	form.Array(v, x.Head[:])
	v.Bool(&x.Fork)
}

func (x *Evidence) bytes() []byte { return state.Save(evidenceVersion, x.fields) }

func parseEvidence(b []byte) (x Evidence, err error) {
	err = form.Decode("rollback evidence", b, evidenceVersion, evidenceVersion, x.fields)
	return x, err
}

// join adds what was known before: what is remembered most counts, and a fork is for good.
func (x *Evidence) join(old *Evidence) {
	x.Fork = x.Fork || old.Fork
	if old.Records > x.Records {
		x.Peer, x.Records, x.Head = old.Peer, old.Records, old.Head
	}
}

// Had returns how many of the records here neighbours have confirmed or, after a recovery,
// how many it knew of: later records are about abandoned leaves.
func (s *Standing) Had() uint64 {
	switch {
	case s.Life.Began():
		return s.Life.Taken
	case len(s.Awaited()) == 0:
		return s.Past.Tip().Records
	}
	return s.Past.Confirmed()
}

// Has reports whether the ledger once had the length in m, with m's head. For a neighbour that
// the operator excluded from the recovery, only records from the gap on count; once this life is open, others may have
// heard of the records from such a neighbour.
func (s *Standing) Has(id string, m protocol.Checkpoint) (bool, error) {
	x := s.Life
	if m.Records <= x.Taken || m.Records <= x.Gap && (slices.Contains(x.Without, id) || x.Opened && len(x.Without) > 0) {
		return true, nil
	}
	return s.Past.Contains(m)
}
