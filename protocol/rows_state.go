package protocol

import "peerd.dev/dp/state"

const rowsVersion = 2

// Save implements [Protocol].
func (r *rows) Save() ([]byte, error) {
	w := state.NewWriter(rowsVersion)
	r.save(w)
	w.Bool(r.silent)
	w.Uints(r.belief.Pulls)
	if r.c.NoisedCounts {
		w.Uints(r.rowed)
	}
	return w.State(), nil
}

// Load implements [Protocol].
func (r *rows) Load(saved []byte) error {
	s := state.NewReader(saved, rowsVersion)
	r.load(s)
	r.silent = s.Bool()
	s.Uints(r.belief.Pulls)
	if r.c.NoisedCounts {
		s.Uints(r.rowed)
	}
	r.staleAll()
	return ended(s)
}
