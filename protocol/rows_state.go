package protocol

import "peerd.dev/dp/state"

const rowsVersion = 2

// Save implements [Protocol].
func (r *rows) Save() ([]byte, error) { return state.Save(rowsVersion, r.fields), nil }

// Load implements [Protocol].
func (r *rows) Load(saved []byte) error {
	r.staleAll()
	return load(saved, rowsVersion, r.fields)
}

func (r *rows) fields(v *state.Visitor) {
	r.digests.fields(v)
	v.Bool(&r.silent)
	v.Uints(r.belief.Pulls)
	if r.c.NoisedCounts {
		v.Uints(r.rowed)
	}
}
