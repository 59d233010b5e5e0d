// Package table lists the protocols that a site speaks. Package node/lab/papers lists what only papers need.
package table

import (
	"slices"

	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// A row is a protocol at its place in the table.
type row struct {
	place int
	of    protocol.Params
}

var registered = []row{{0, rows.PhasesParams{Growth: .5, Limit: 100_000, Pull: 20, Merge: rows.MergeMean, F: 1}}} //nolint:gochecknoglobals // extras add to it in their init

// Register adds a protocol with its defaults to [Protocols], for the init function of an extra. The place says which come before it.
func Register(place int, p protocol.Params) {
	registered = append(registered, row{place, p})
	slices.SortStableFunc(registered, func(a, b row) int { return a.place - b.place })
}

// Protocols lists every protocol a peer can speak with its defaults, the default one first. A protocol is
// here only when its conformance tests pass.
func Protocols() (all []protocol.Params) {
	for _, r := range registered {
		all = append(all, r.of)
	}
	return all
}
