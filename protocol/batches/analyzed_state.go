package batches

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

const analyzedVersion = 1

// Save implements [protocol.Protocol].
func (x *analyzed) Save() (protocol.State, error) { return spread.Save(analyzedVersion, x.fields), nil }

// Load implements [protocol.Protocol].
func (x *analyzed) Load(saved protocol.State) error {
	x.stale = true
	return spread.Load(saved, analyzedVersion, x.fields)
}

func (x *analyzed) fields(v *state.Visitor) {
	s, d := &x.silo, &x.desk
	state.Number(v, &x.round)
	v.Uints(x.belief.Pulls)
	for k := range s.sums {
		spread.VisitSum(v, &s.sums[k], k, x.c.Width)
		spread.VisitSum(v, &s.shown[k], k, x.c.Width)
	}
	// Signatures are bound to the policy. After a change of the policy silos report again.
	m := s.others
	if spread.VisitMessage(v, &m); v.Loading() && m.Kind() == batchOthers && m.Label().Origin == x.hub.Root() && m.Refs() == 1 && x.checkOthers(&m) == nil {
		s.others = m
	}
	spread.VisitFlags(v, &s.taken, &s.fresh, &s.waiting)
	state.Number(v, &s.since)
	state.Number(v, &s.asked)
	v.Uint(&s.quiet)
	v.Uint(&d.number)
	v.Uint(&d.pulled)
	x.visitReports(v)
}

// visitReports visits the newest report of every peer, and the sums sent to it.
func (x *analyzed) visitReports(v *state.Visitor) {
	d := &x.desk
	n := v.Len(len(d.newest))
	if n > len(d.newest) { // new peers are at the end of a network
		v.Fail("reports of %d peers, want %d", n, len(d.newest))
		n = 0
	}
	for i := range n {
		m := d.newest[i]
		spread.VisitMessage(v, &m)
		spread.VisitLabel(v, &d.held[i])
		spread.VisitLabel(v, &d.sent[i])
		spread.VisitFlags(v, &d.asks[i], &d.owed[i], &d.known[i])
		if v.Loading() && m.Kind() == batchReport && m.Label().Origin == protocol.Peer(i) && m.Refs() == 1 && x.hub.Here() && x.checkReport(&m) == nil {
			d.newest[i] = m
		}
	}
}
