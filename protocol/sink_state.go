package protocol

import "peerd.dev/dp/state"

const sinkVersion = 1

// Save implements [Protocol].
func (x *sink) Save() ([]byte, error) {
	w := state.NewWriter(sinkVersion)
	x.save(w)
	w.Uint(uint64(x.pooled))
	return w.State(), nil
}

// Load implements [Protocol].
func (x *sink) Load(saved []byte) error {
	r := state.NewReader(saved, sinkVersion)
	x.load(r, func(m *Message) bool {
		if x.coordinates() {
			return m.kind == sinkPool && x.checkPool(m) == nil
		}
		return m.kind == sinkReport && x.checkContent(m) == nil
	})
	x.pooled = Round(r.Uint())
	x.plant()
	return ended(r)
}
