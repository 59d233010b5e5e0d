package gossip

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned after a host was closed.
var ErrClosed = errors.New("gossip: host closed")

// A lifetime knows whether a host works, and its goroutines.
type lifetime struct {
	// work ends when no more messages are accepted, life when everything stops; in between the
	// queues are drained.
	work     context.Context
	stopWork context.CancelCauseFunc
	life     context.Context
	stopLife context.CancelFunc

	mu      sync.Mutex     // orders starting goroutines before stopping them
	running sync.WaitGroup // all goroutines except the outbound sides of links
}

func (l *lifetime) begin() {
	l.work, l.stopWork = context.WithCancelCause(context.Background())
	l.life, l.stopLife = context.WithCancel(context.Background())
}

// Done is closed when the host is closed or, if it is lossless, when a link breaks.
func (l *lifetime) Done() <-chan struct{} { return l.work.Done() }

// Err returns why the host is done: [ErrClosed] or the error of a broken link. It returns nil
// while the host is running.
func (l *lifetime) Err() error { return context.Cause(l.work) }

// fail ends the host with err. Its neighbours' streams are reset.
func (l *lifetime) fail(err error) {
	l.stopWork(err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopLife()
}

// enter registers the calling goroutine and reports whether the host is still running.
func (l *lifetime) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life.Err() != nil {
		return false
	}
	l.running.Add(1)
	return true
}
