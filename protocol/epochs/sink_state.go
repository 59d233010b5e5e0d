package epochs

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

const sinkVersion = 1

// Save implements [protocol.Protocol].
func (x *sink) Save() (protocol.State, error) { return spread.Save(sinkVersion, x.fields), nil }

// Load implements [protocol.Protocol].
func (x *sink) Load(saved protocol.State) error {
	err := spread.Load(saved, sinkVersion, x.fields)
	x.plant()
	return err
}

func (x *sink) fields(v *state.Visitor) {
	x.visit(v, func(m *protocol.Message) bool {
		if x.hub.Here() {
			return m.Kind() == sinkPool && x.checkPool(m) == nil
		}
		return m.Kind() == sinkReport && x.checkContent(m) == nil
	})
	state.Number(v, &x.pooled)
}
