//go:build !auditbug

package dp

// The tag auditbug builds faults in, by name, for `peerd audit` to find. Without it
// the hooks do nothing and cost nothing.

// bug is the fault of one stream's noise.
type bug struct{}

func (*bug) take([]int64) {}

func (*bug) noise(_ uint64, drawn int64) int64 { return drawn }

func (*bug) append(b []byte) []byte { return b }

func (*bug) read(*reader) {}

func bugRedraw() bool { return false }

func bugLevels[N uint64 | float64](norm N) N { return norm }

func bugAdjacency(a Adjacency) Adjacency { return a }
