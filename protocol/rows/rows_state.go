package rows

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol/internal/spread"
)

const rowsVersion = 2

// Save implements [protocol.Protocol].
func (r *rows) Save() ([]byte, error) { return state.Save(rowsVersion, r.fields), nil }

// Load implements [protocol.Protocol].
func (r *rows) Load(saved []byte) error {
	r.staleAll()
	return spread.Load(saved, rowsVersion, r.fields)
}

func (r *rows) fields(v *state.Visitor) {
	r.digests.fields(v)
	v.Bool(&r.silent)
	v.Uints(r.belief.Pulls)
	if r.C.NoisedCounts {
		v.Uints(r.rowed)
	}
}
