package epochs

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

const coordinatorVersion = 2

// Save implements [protocol.Protocol].
func (x *coordinator) Save() (protocol.State, error) {
	return spread.Save(coordinatorVersion, func(v *state.Visitor) { x.visit(v, nil) }), nil
}

// Load implements [protocol.Protocol].
func (x *coordinator) Load(saved protocol.State) error {
	return spread.Load(saved, coordinatorVersion, func(v *state.Visitor) {
		x.visit(v, func(m *protocol.Message) bool {
			return m.Kind() == x.ofReport && x.hub.Here() && x.checkContent(m) == nil
		})
	})
}
