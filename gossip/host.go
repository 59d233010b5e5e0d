// Package gossip carries messages between peers: over libp2p streams to neighbours and over a
// GossipSub topic to all peers.
//
// The package keeps the privacy barrier at the wire. It sends only these: the frame of a
// [protocol.Message]; the constants of a [wire.Hello] and, if the two ends' policies differ, the terms
// behind them; what a [Document] shows; each [protocol.Checkpoint], the number of public
// records with a hash over them, for which the caller of [Host.Advance] is responsible; and what a [Service] answers.
//
// Neighbours are configured. Of two that have addresses the end with the lower index dials, else the one without. Each end opens one
// long-lived stream to send on, and reads from the stream that the other end opened.
package gossip

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peerstore"

	"peerd.dev/protocol"
)

const (
	// Close first waits for the queued messages to arrive.
	drainTimeout = 1500 * time.Millisecond
	closeTimeout = 2 * time.Second
)

// errBusy is returned by Close if some of the host's goroutines are still running.
var errBusy = fmt.Errorf("gossip: host still busy %v after close", closeTimeout)

// A Host connects a peer with its neighbours and the network's topic. Each of its parts is in a file of its own.
type Host struct {
	*base
	*ledgers
	*clocks
	*links
	*documents
	topic *topic // nil if this peer has not joined it

	closeOnce sync.Once
	closeErr  error
}

var _ interface { // node.Transport
	Send(ctx context.Context, es []protocol.Envelope) error
	Inbox() <-chan protocol.Delivery
} = (*Host)(nil)

// NewHost listens and starts to connect to the neighbours. The caller closes it.
func NewHost(c Config) (*Host, error) {
	b, r, err := newBase(c)
	if err != nil {
		return nil, err
	}
	ledgers, err := newLedgers(b)
	if err != nil {
		return nil, err
	}
	if b.libp2p, err = newLibp2p(c, b.gate); err != nil {
		return nil, err
	}
	clocks := newClocks(b)
	links := newLinks(ledgers, clocks)
	h := &Host{base: b, ledgers: ledgers, clocks: clocks, links: links, documents: &documents{b}}
	if err := h.start(r); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (h *Host) start(r roster) (err error) {
	for i, p := range r.peers {
		if protocol.Peer(i) != h.cfg.Self {
			h.libp2p.Peerstore().AddAddrs(p.ID, p.Addrs, peerstore.PermanentAddrTTL)
		}
		if h.neighbours[i] != nil {
			h.libp2p.ConnManager().Protect(p.ID, "link")
		}
	}
	h.handle(linkProtocol, h.accept)
	h.handle(probeProtocol, h.probed)
	h.handleTrades(clockProtocol, h.tellClock)
	if h.cfg.Document != nil {
		h.handleTrades(documentProtocol, h.tradeBack)
	}
	if h.cfg.Checkpoints {
		h.handleTrades(memoryProtocol, h.tradeMemories)
		for _, x := range h.cfg.Services {
			h.serves(x)
		}
	}
	for _, a := range r.listen {
		if err = h.libp2p.Network().Listen(a); err != nil {
			return fmt.Errorf("gossip: listen on %s: %w", a, err)
		}
	}
	if h.cfg.Topic {
		if h.topic, err = newTopic(h.links); err != nil {
			return err
		}
	}
	for _, n := range h.cfg.Neighbours {
		h.writing.Go(h.neighbours[n].run)
	}
	for _, x := range h.cfg.Services {
		if h.cfg.Checkpoints && x.Run != nil {
			h.running.Go(func() { x.Run(h.work, h) })
		}
	}
	return nil
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
		h.writing.Wait()
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
		h.writing.Wait()
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
