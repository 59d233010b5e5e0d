//go:build !auditbug

package dp

// The tag auditbug builds faults in, by name, for `peerd audit` to find. Without it
// the hooks do nothing and cost nothing.

// bug is the fault of one stream's noise.
type bug struct{}

func (*bug) noise(_ uint64, drawn int64) int64 { return drawn }

func bugRedraw() bool { return false }

func bugLevels(n uint64) uint64 { return n }
