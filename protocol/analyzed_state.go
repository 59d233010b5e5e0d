package protocol

import (
	"peerd.dev/dp/state"
)

const analyzedVersion = 1

// Save implements [Protocol].
func (x *analyzed) Save() ([]byte, error) {
	w, s, d := state.NewWriter(analyzedVersion), &x.silo, &x.desk
	w.Uint(uint64(x.round))
	w.Uints(x.belief.Pulls)
	for k := range s.sums {
		writeRelease(w, s.sums[k])
		writeRelease(w, s.shown[k])
	}
	writeMessage(w, &s.others)
	w.Bools([]bool{s.taken, s.fresh, s.waiting})
	for _, n := range []uint64{uint64(s.since), uint64(s.asked), s.quiet, d.number, d.pulled, uint64(len(d.newest))} {
		w.Uint(n)
	}
	for i := range d.newest {
		writeMessage(w, &d.newest[i])
		writeLabel(w, d.held[i])
		writeLabel(w, d.told[i])
		w.Bools([]bool{d.asks[i], d.owed[i], d.known[i]})
	}
	return w.State(), nil
}

// Load implements [Protocol].
func (x *analyzed) Load(saved []byte) error {
	r, s, d := state.NewReader(saved, analyzedVersion), &x.silo, &x.desk
	x.round = Round(r.Uint())
	r.Uints(x.belief.Pulls)
	for k := range s.sums {
		s.sums[k], s.shown[k] = readSum(r, k, x.c.Width), readSum(r, k, x.c.Width)
	}
	// Signatures are bound to what peers agree on. After a change of that, silos report again.
	if m := readMessage(r); m.kind == batchOthers && m.label.Origin == x.root() && len(m.refs) == 1 && x.checkOthers(&m) == nil {
		s.others = m
	}
	is := make([]bool, 3)
	r.Bools(is)
	s.taken, s.fresh, s.waiting = is[0], is[1], is[2]
	s.since, s.asked, s.quiet = Round(r.Uint()), Round(r.Uint()), r.Uint()
	d.number, d.pulled = r.Uint(), r.Uint()
	n := r.Len()
	if n > len(d.newest) { // a network grows at its end
		r.Fail("reports of %d peers, want %d", n, len(d.newest))
		n = 0
	}
	for i := range n {
		m, held, told, is := readMessage(r), readLabel(r), readLabel(r), make([]bool, 3)
		r.Bools(is)
		if m.kind == batchReport && m.label.Origin == Peer(i) && len(m.refs) == 1 && x.analyzes() && x.checkReport(&m) == nil {
			d.newest[i] = m
		}
		d.held[i], d.told[i], d.asks[i], d.owed[i], d.known[i] = held, told, is[0], is[1], is[2]
	}
	x.stale = true
	return ended(r)
}
