package rows

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol/internal/spread"
)

const phasesVersion = 2

// Save implements [protocol.Protocol].
func (r *phases) Save() ([]byte, error) { return state.Save(phasesVersion, r.fields), nil }

// Load implements [protocol.Protocol].
func (r *phases) Load(saved []byte) error {
	err := spread.Load(saved, phasesVersion, r.fields)
	if w := r.cadence.Window; w > 0 {
		r.Window = (uint64(r.round) + 1) / w
	}
	r.resize()
	r.staleAll()
	return err
}

func (r *phases) fields(v *state.Visitor) {
	r.Fields(v, 1)
	v.Uints(r.waiting)
	v.Uints(r.Forced)
	v.Bools(r.over)
	state.Number(v, &r.round)
	v.Float(&r.Allow)
	state.Number(v, &r.Until)
	v.Uints(r.belief.Pulls)
}
