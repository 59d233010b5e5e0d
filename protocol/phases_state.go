package protocol

import "peerd.dev/dp/state"

const phasesVersion = 2

// Save implements [Protocol].
func (r *phases) Save() ([]byte, error) {
	w := state.NewWriter(phasesVersion)
	r.save(w)
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
	r.load(s, 1)
	s.Uints(r.waiting)
	s.Uints(r.forced)
	s.Bools(r.over)
	r.round = Round(s.Uint())
	if w := r.cadence.Window; w > 0 {
		r.window = (uint64(r.round) + 1) / w
	}
	r.allow, r.until = s.Float(), Round(s.Uint())
	s.Uints(r.belief.Pulls)
	r.resize()
	r.staleAll()
	return ended(s)
}
