package store

import (
	"sync/atomic"
	"time"
)

// Batches are synced in groups. While batches come in crowds, a sync waits a little so that its
// group is larger, which saves syncs and wake-ups. Otherwise no sync waits.
const (
	crowdCount = 256                    // batches over which the rate is taken
	crowdSpan  = 64 * time.Millisecond  // the longest time in which crowdCount batches are a crowd: 4,000 in a second
	crowdPause = 500 * time.Microsecond // between syncs of a crowd
)

// crowd detects crowds of batches. The zero value has seen none.
type crowd struct {
	began atomic.Int64 // when the newest full count of batches was complete, in Unix ns
	dense atomic.Bool  // the count took at most crowdSpan
}

// count records that batch n is written at a time. It must not be called concurrently.
func (c *crowd) count(n uint64, at time.Time) {
	if n%crowdCount != 0 {
		return
	}
	now := at.UnixNano()
	c.dense.Store(now-c.began.Swap(now) <= int64(crowdSpan))
}

// pause returns the minimum time between two syncs.
func (c *crowd) pause(at time.Time) time.Duration {
	if c.dense.Load() && at.UnixNano()-c.began.Load() <= int64(crowdSpan) {
		return crowdPause
	}
	return 0
}
