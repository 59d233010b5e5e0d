package protocol

import "peerd.dev/dp/state"

const phasesVersion = 2

// Save implements [Protocol].
func (r *phases) Save() ([]byte, error) {
	w := state.NewWriter(phasesVersion)
	r.save(w)
	for _, x := range r.total {
		writeRelease(w, x)
	}
	w.Uints(r.waiting)
	w.Uints(r.forced)
	w.Bools(r.over)
	w.Uint(uint64(r.round))
	w.Float(r.allow)
	w.Uint(uint64(r.until))
	w.Uints(r.belief.Pulls)
	return w.State(), nil
}

// Load implements [Protocol].
func (r *phases) Load(saved []byte) error {
	s := state.NewReader(saved, phasesVersion)
	r.load(s)
	for k := range r.total {
		x := readRelease(s)
		if !x.Empty() && (int(x.Stream()) != k || x.Len() != 1 || x.Counts() != 1 || x.Count(0) == 0) {
			s.Fail("sum %d is not of arm %d", k, k)
			break
		}
		r.total[k] = x
	}
	s.Uints(r.waiting)
	s.Uints(r.forced)
	s.Bools(r.over)
	r.round = Round(s.Uint())
	r.allow, r.until = s.Float(), Round(s.Uint())
	s.Uints(r.belief.Pulls)
	r.staleAll()
	return ended(s)
}
