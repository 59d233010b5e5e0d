//go:build !auditbug

package dp

import "peerd.dev/dp/state"

// The tag auditbug compiles in faults, by name, for `peerd audit` to find. Without it the hooks
// do nothing and cost nothing.

// bug is the fault of one stream's noise.
type bug struct{}

func (*bug) take([]int64) {}

func (*bug) noise(_ uint64, drawn int64) int64 { return drawn }

func (*bug) fields(*state.Visitor) {}

func bugRedraw() bool { return false }

func bugLevels[N uint64 | float64](norm N) N { return norm }

func bugAdjacency(a Adjacency) Adjacency { return a }
