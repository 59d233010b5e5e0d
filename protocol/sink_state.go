package protocol

import "peerd.dev/dp/state"

const sinkVersion = 1

// Save implements [Protocol].
func (x *sink) Save() ([]byte, error) { return state.Save(sinkVersion, x.fields), nil }

// Load implements [Protocol].
func (x *sink) Load(saved []byte) error {
	err := load(saved, sinkVersion, x.fields)
	x.plant()
	return err
}

func (x *sink) fields(v *state.Visitor) {
	x.coordinator.fields(v, func(m *Message) bool {
		if x.coordinates() {
			return m.Kind() == sinkPool && x.checkPool(m) == nil
		}
		return m.Kind() == sinkReport && x.checkContent(m) == nil
	})
	state.Number(v, &x.pooled)
}
