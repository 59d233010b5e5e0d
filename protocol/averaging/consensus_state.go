package averaging

import (
	"slices"

	"peerd.dev/dp/averages"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

const consensusVersion = 1

// Save implements [protocol.Protocol].
func (x *consensus) Save() (protocol.State, error) {
	return spread.Save(consensusVersion, x.fields), nil
}

// Load implements [protocol.Protocol].
func (x *consensus) Load(saved protocol.State) error {
	x.stale = true
	return spread.Load(saved, consensusVersion, x.fields)
}

func (x *consensus) fields(v *state.Visitor) {
	state.Number(v, &x.round)
	v.Uint(&x.unsent[0])
	v.Uint(&x.unsent[1])
	spread.VisitPart(v, x.shares.Save, x.shares.Load)
	x.visitLinks(v)
	v.Bools(x.started)
	v.Bools(x.silent)
	v.Uints(x.waiting)
	v.Uints(x.released)
	v.Uints(x.belief.Pulls)
}

// visitLinks visits the present links and the former ones.
func (x *consensus) visitLinks(v *state.Visitor) {
	n := v.Len(len(x.links) + len(x.former))
	if !v.Loading() {
		for i := range x.links {
			x.links[i].fields(v, &x.flows[i])
		}
		for i := range x.former {
			x.former[i].fields(v, &x.former[i].flow)
		}
		return
	}
	for range n {
		l, flow := consensusLink{}, averages.NewFlow(x.c.Parts)
		l.fields(v, &flow)
		if i, ok := slices.BinarySearch(x.c.Neighbours(), l.peer); ok {
			l.weight = x.links[i].weight
			x.links[i], x.flows[i] = l, flow
		} else {
			x.former = append(x.former, formerLink{l, flow})
		}
	}
}

func (l *consensusLink) fields(v *state.Visitor, f *averages.Flow) {
	state.Number(v, &l.peer)
	spread.VisitLabel(v, &l.newest)
	state.Number(v, &l.heard)
	spread.VisitPart(v, f.Save, f.Load)
}
