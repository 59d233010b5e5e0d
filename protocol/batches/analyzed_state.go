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
	spread.VisitFlags(v, &s.taken, &s.fresh, &s.Waiting)
	state.Number(v, &s.Since)
	state.Number(v, &s.Asked)
	v.Uint(&s.quiet)
	v.Uint(&d.number)
	v.Uint(&d.pulled)
	d.Visit(v, func(i int) {
		spread.VisitLabel(v, &d.Held[i])
		spread.VisitLabel(v, &d.sent[i])
		spread.VisitFlags(v, &d.Reported[i], &d.owed[i], &d.known[i])
	}, func(m *protocol.Message) bool {
		return x.hub.Here() && m.Kind() == batchReport && m.Refs() == 1 && x.checkReport(m) == nil
	})
}
