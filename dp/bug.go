//go:build !auditbug

package dp

// The tag auditbug builds faults in, by name, for `peerd audit` to find. Without it
// the hooks do nothing and cost nothing.

func bugOld(*tree, int, int) int64 { return 0 }

func bugNoise(_ uint64, _, noise int64) int64 { return noise }

func bugRedraw() bool { return false }

func bugLevels(n uint64) uint64 { return n }
