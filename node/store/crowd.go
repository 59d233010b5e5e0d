package store

import (
	"sync/atomic"
	"time"
)

// Batches are synced one group at a time, as they come. Where they come in crowds, a sync waits a little, so that
// its group is larger: fewer syncs and wake-ups for the same batches. Where they do not, none waits.
const (
	crowdCount = 256                    // batches over which the rate is taken
	crowdSpan  = 64 * time.Millisecond  // the longest time in which that count is a crowd: 4,000 in a second
	crowdPause = 500 * time.Microsecond // between syncs of a crowd
)

// crowd knows whether batches come in a crowd. The zero value knows of none.
type crowd struct {
	began atomic.Int64 // when the newest full count of batches was complete, in nanoseconds
	dense atomic.Bool  // it took no longer than a crowd's
}

// count takes in that batch n is written at a time. It is called by one goroutine at a time.
func (c *crowd) count(n uint64, at time.Time) {
	if n%crowdCount != 0 {
		return
	}
	now := at.UnixNano()
	c.dense.Store(now-c.began.Swap(now) <= int64(crowdSpan))
}

// pause returns how long there must be between two syncs at a time.
func (c *crowd) pause(at time.Time) time.Duration {
	if c.dense.Load() && at.UnixNano()-c.began.Load() <= int64(crowdSpan) {
		return crowdPause
	}
	return 0
}
