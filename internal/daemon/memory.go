package daemon

import (
	"os"
	"runtime/debug"
)

// garbage is by how much of what is in use, in percent, the heap of a peer grows between collections. A peer has little in
// use, and what is asked for during a collection waits a few milliseconds.
const garbage = 400

// spareCollections has this process collect garbage more seldom than Go does by default, unless GOGC says how often. A
// GOMEMLIMIT stays in force.
func spareCollections() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}
