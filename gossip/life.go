package gossip

import (
	"context"
	"errors"
	"fmt"
	"time"

	"peerd.dev/protocol"
)

// ErrClosed is returned after a host was closed.
var ErrClosed = errors.New("gossip: host closed")

const (
	// Close first waits for the queued messages to arrive.
	drainTimeout = 1500 * time.Millisecond
	closeTimeout = 2 * time.Second
)

// errBusy is returned by Close if some of the host's goroutines are still running.
var errBusy = fmt.Errorf("gossip: host still busy %v after close", closeTimeout)

// Done is closed when the host is closed or, if it is lossless, when a link breaks.
func (h *Host) Done() <-chan struct{} { return h.work.Done() }

// Err returns why the host is done: [ErrClosed] or the error of a broken link. It returns nil
// while the host is running.
func (h *Host) Err() error { return context.Cause(h.work) }

// fail ends the host with err. Its neighbours' streams are reset.
func (h *Host) fail(err error) {
	h.stopWork(err)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopLife()
}

// enter registers the calling goroutine and reports whether the host is still running.
func (h *Host) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life.Err() != nil {
		return false
	}
	h.running.Add(1)
	return true
}

// deliver puts a message into the inbox and reports whether it did.
func (h *Host) deliver(from protocol.Peer, m protocol.Message) bool {
	select {
	case h.inbox <- protocol.Delivery{From: from, Message: m}:
		return true
	case <-h.life.Done():
		return false
	}
}

// Close ends the host. It waits up to 1.5 seconds until queued messages are sent, and returns
// after at most two seconds.
func (h *Host) Close() error {
	h.closeOnce.Do(func() { h.closeErr = h.close() })
	return h.closeErr
}

func (h *Host) close() error {
	end := time.After(closeTimeout)
	h.stopWork(ErrClosed)
	drained := make(chan struct{})
	go func() {
		h.links.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-time.After(drainTimeout):
	}
	h.fail(ErrClosed)
	gone := make(chan struct{})
	var err error
	go func() {
		// The topic ends with life, and so before the streams that it uses.
		err = h.libp2p.Close()
		h.links.Wait()
		h.running.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return err
	case <-end:
		return errBusy
	}
}
