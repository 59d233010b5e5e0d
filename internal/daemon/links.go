package daemon

import (
	"context"
	"errors"
	"sync"

	"peerd.dev/gossip"
	"peerd.dev/protocol"
)

// links carry a site's messages over the present host, which a change of the network replaces.
type links struct {
	inbox chan protocol.Delivery

	mu     sync.RWMutex
	host   *gossip.Host
	closed bool // permanently
}

func newLinks(h *gossip.Host) *links {
	l := &links{inbox: make(chan protocol.Delivery), host: h}
	go l.pump(h)
	return l
}

// pump forwards what arrives at a host until it is closed.
func (l *links) pump(h *gossip.Host) {
	for {
		select {
		case d := <-h.Inbox():
			select {
			case l.inbox <- d:
			case <-h.Done():
				return
			}
		case <-h.Done():
			return
		}
	}
}

// replace closes the host and opens another one.
func (l *links) replace(open func() (*gossip.Host, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	closed := l.host.Close()
	h, err := open()
	if err != nil {
		return errors.Join(err, closed)
	}
	l.host = h
	go l.pump(h)
	return nil
}

// Send implements [site.Transport].
func (l *links) Send(ctx context.Context, es []protocol.Envelope) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.host.Send(ctx, es)
}

// Inbox implements [site.Transport].
func (l *links) Inbox() <-chan protocol.Delivery { return l.inbox }

// Advance implements [site.Transport].
func (l *links) Advance(c protocol.Checkpoint) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.host.Advance(c)
}

// close ends the host; no other replaces it.
func (l *links) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.host.Close()
}
