// Package table lists the protocols that a site speaks. Package node/lab/papers lists what only papers need.
package table

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// registered are the protocols of extras.
var registered []protocol.Params

// Register adds protocols with their defaults to the end of [Protocols], for the init function of an extra.
func Register(p ...protocol.Params) { registered = append(registered, p...) }

// Protocols lists every protocol a peer can speak with its defaults, the default one first. A protocol is
// here only when its conformance tests pass.
func Protocols() []protocol.Params {
	return append([]protocol.Params{
		rows.PhasesParams{Growth: .5, Limit: 100_000, Pull: 20, Merge: rows.MergeMean, F: 1},
		rows.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1},
	}, registered...)
}
