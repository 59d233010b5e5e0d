package daemon

import (
	"os"
	"runtime/debug"
)

// garbage is the growth of a peer's heap between collections, in percent of the live heap. A peer
// has a small heap, and requests during a collection wait a few milliseconds.
const garbage = 400

// spareCollections makes this process collect garbage less often than Go's default, unless GOGC
// is set. A GOMEMLIMIT still applies.
func spareCollections() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}
