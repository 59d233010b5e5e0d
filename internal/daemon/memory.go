package daemon

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A peer has a small heap, and requests during a collection wait a few milliseconds. So the heap grows by this many
// bytes between collections, or by Go's default of 100 percent if that is more, and at most by 400 percent.
const (
	garbage     = 32 << 20
	leastGrowth = 100 // percent
	mostGrowth  = 400
)

// growth returns by how much the heap may grow between collections, in percent of what is live, in bytes.
func growth(live uint64) int {
	return int(min(mostGrowth, max(leastGrowth, 100*garbage/max(live, 1))))
}

// spareCollections makes this process collect garbage less often than Go's default until ctx ends, unless GOGC is set.
// A GOMEMLIMIT still applies.
func spareCollections(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(mostGrowth)
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				metrics.Read(live)
				debug.SetGCPercent(growth(live[0].Value.Uint64()))
			}
		}
	}()
}
