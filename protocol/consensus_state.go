package protocol

import (
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

const consensusVersion = 1

// Save implements [Protocol].
func (x *consensus) Save() ([]byte, error) {
	w := state.NewWriter(consensusVersion)
	w.Uint(uint64(x.round))
	w.Uint(x.unsent[0])
	w.Uint(x.unsent[1])
	w.Bytes(x.shares.Save())
	w.Uint(uint64(len(x.links) + len(x.former)))
	for i := range x.links {
		x.links[i].save(w, &x.flows[i])
	}
	for i := range x.former {
		x.former[i].save(w, &x.former[i].flow)
	}
	w.Bools(x.started)
	w.Bools(x.silent)
	w.Uints(x.waiting)
	w.Uints(x.released)
	w.Uints(x.belief.Pulls)
	return w.State(), nil
}

func (l *consensusLink) save(w *state.Writer, f *dp.Flow) {
	w.Uint(uint64(l.peer))
	writeLabel(w, l.newest)
	w.Uint(uint64(l.heard))
	w.Bytes(f.Save())
}

// Load implements [Protocol].
func (x *consensus) Load(saved []byte) error {
	s := state.NewReader(saved, consensusVersion)
	load := func(load func([]byte) error) {
		if part := s.Bytes(); s.OK() {
			if err := load(part); err != nil {
				s.Fail("%v", err)
			}
		}
	}
	x.round = Round(s.Uint())
	x.unsent = [2]uint64{s.Uint(), s.Uint()}
	load(x.shares.Load)
	for range s.Len() {
		l, flow := consensusLink{peer: Peer(s.Uint())}, dp.NewFlow(x.c.Parts)
		l.newest, l.heard = readLabel(s), Round(s.Uint())
		load(flow.Load)
		if i, ok := slices.BinarySearch(x.c.Neighbours(), l.peer); ok {
			l.weight = x.links[i].weight
			x.links[i], x.flows[i] = l, flow
		} else {
			x.former = append(x.former, formerLink{l, flow})
		}
	}
	s.Bools(x.started)
	s.Bools(x.silent)
	s.Uints(x.waiting)
	s.Uints(x.released)
	s.Uints(x.belief.Pulls)
	x.stale = true
	return ended(s)
}
