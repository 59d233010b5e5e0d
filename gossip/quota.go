package gossip

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"peerd.dev/gossip/wire"
)

// What a peer may do in a period. The streams and the messages of the topic are many times what a peer with rounds of
// 50 ms in a network of 100 needs; a daemon opens two exchanges of the document or of checkpoints a second at most.
const (
	period     = 10 * time.Second
	maxTrades  = 60
	maxStreams = 1000
	maxRPCs    = 20_000 // of the topic
)

// A quota bounds how often a peer does something in a period.
type quota struct {
	of   string // what it does
	most int

	mu    sync.Mutex
	since time.Time // begin of a period
	n     int       // in it
}

// take returns an error if the peer has done it too often.
func (q *quota) take(now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Sub(q.since) >= period {
		q.since, q.n = now, 0
	}
	if q.n++; q.n > q.most {
		return fmt.Errorf("%w: more than %d %s in %v", wire.ErrViolation, q.most, q.of, period)
	}
	return nil
}

// minute lets something happen once a minute.
type minute struct{ last atomic.Int64 } // Unix time in ns; 0 for never

func (m *minute) over() bool {
	now, last := time.Now(), m.last.Load()
	return (last == 0 || now.Sub(time.Unix(0, last)) >= time.Minute) && m.last.CompareAndSwap(last, now.UnixNano())
}
