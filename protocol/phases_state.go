package protocol

import "peerd.dev/dp/state"

const phasesVersion = 2

// Save implements [Protocol].
func (r *phases) Save() ([]byte, error) { return state.Save(phasesVersion, r.fields), nil }

// Load implements [Protocol].
func (r *phases) Load(saved []byte) error {
	err := load(saved, phasesVersion, r.fields)
	if w := r.cadence.Window; w > 0 {
		r.window = (uint64(r.round) + 1) / w
	}
	r.resize()
	r.staleAll()
	return err
}

func (r *phases) fields(v *state.Visitor) {
	r.totals.fields(v, 1)
	v.Uints(r.waiting)
	v.Uints(r.forced)
	v.Bools(r.over)
	state.Number(v, &r.round)
	v.Float(&r.allow)
	state.Number(v, &r.until)
	v.Uints(r.belief.Pulls)
}
