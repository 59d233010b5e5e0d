package gossip

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// A stream of probeProtocol carries one hello in each direction. It changes nothing at the answering end: no
// link comes up and no checkpoint is remembered.

// A ProbeResult is a neighbour's answer to a [Probe].
type ProbeResult struct {
	RTT         time.Duration
	Incarnation uint32
	Checkpoint  protocol.Checkpoint // the neighbour's own
	Remembered  protocol.Checkpoint // this peer's highest that the neighbour remembers
	Signed      bool                // this peer has signed it
}

// Probe exchanges hellos with a neighbour, instead of a [Host] that is not running. It can also
// dial a neighbour with a lower index. It uses only some fields of c: those that both ends must
// agree on, Self, Identity and the peers. It does not call OnRemembered or OnCheckpoint. If the
// error wraps [ErrMismatch], the neighbour answered and is configured differently.
func Probe(ctx context.Context, c Config, to protocol.Peer) (ProbeResult, error) {
	r, err := c.check()
	if err != nil {
		return ProbeResult{}, err
	}
	if !slices.Contains(c.Neighbours, to) {
		return ProbeResult{}, fmt.Errorf("gossip: peer %d is no neighbour", to)
	}
	if len(r.peers[to].Addrs) == 0 {
		return ProbeResult{}, fmt.Errorf("gossip: peer %d has no address to dial", to)
	}
	h, err := newLibp2p(c, newGate(c.Identity.id, r.peers, nil, slog.New(slog.DiscardHandler)))
	if err != nil {
		return ProbeResult{}, err
	}
	result, err := c.probe(ctx, h, r.peers[to], to)
	if err != nil {
		err = fmt.Errorf("gossip: peer %d: %w", to, err)
	}
	return result, errors.Join(err, h.Close())
}

func (c *Config) probe(ctx context.Context, h host.Host, to peer.AddrInfo, index protocol.Peer) (ProbeResult, error) {
	ours := c.hello()
	if c.Checkpoints {
		var err error
		if ours.Checkpoint, err = c.signed(c.Checkpoint); err != nil {
			return ProbeResult{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if err := h.Connect(ctx, to); err != nil {
		return ProbeResult{}, err
	}
	// A peer that does not list us accepts the connection before it refuses us.
	var theirs wire.Hello
	var rtt time.Duration
	err := ask(network.WithNoDial(ctx, "connected before"), h, to.ID, probeProtocol, func(s network.Stream) (err error) {
		theirs, rtt, err = c.askHello(s, bufio.NewReaderSize(s, wire.MaxHello), &ours)
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return ProbeResult{}, fmt.Errorf("connected, but no answer: %w", ctx.Err())
	case err != nil:
		return ProbeResult{}, fmt.Errorf("connected, but turned away: %w", err)
	}
	return ProbeResult{
		RTT: rtt, Incarnation: theirs.Incarnation,
		Checkpoint: theirs.Checkpoint.Checkpoint, Remembered: theirs.Remembered.Checkpoint, Signed: c.proves(c.Self, theirs.Remembered),
	}, ours.Check(&theirs, index)
}

// probed serves a probe.
func (all *links) probed(s network.Stream) {
	from, ok := all.gate.listed[s.Conn().RemotePeer()]
	if !ok || all.neighbours[from] == nil {
		_ = s.ResetWithError(network.StreamGated)
		return
	}
	l := all.neighbours[from]
	if err := s.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		_ = s.Reset()
		return
	}
	r := bufio.NewReaderSize(s, wire.MaxHello)
	theirs, err := wire.ReadHello(r)
	if err != nil {
		l.violated(s, err)
		return
	}
	ours := l.hello()
	if err := wire.WriteHello(s, &ours); err != nil {
		_ = s.Reset()
		return
	}
	all.cfg.tradeTerms(s, r, &ours, &theirs, false)
	_ = s.Close()
}

// Confirm sends c, a checkpoint of this peer, to the neighbours whose links are up, and asks each
// of them what it remembers of this peer. It calls OnRemembered with every answer. A neighbour
// may answer before it has received c; the next call then shows that it has. A host without
// checkpoints asks nothing.
func (all *links) Confirm(ctx context.Context, c protocol.Checkpoint) {
	if !all.cfg.Checkpoints || !all.enter() {
		return
	}
	defer all.running.Done()
	all.Advance(c)
	all.checkpointDue()
	for _, n := range all.cfg.Neighbours {
		l := all.neighbours[n]
		if state, _, _ := l.state(); state != Up || all.work.Err() != nil {
			continue
		}
		remembered, err := l.confirmed(ctx)
		if err == nil {
			err = l.checkRemembered(remembered, false)
		}
		if err != nil {
			l.log.Debug("not confirmed", "reason", err)
		}
	}
}

// confirmed returns what the neighbour remembers of this peer.
func (l *link) confirmed(ctx context.Context) (protocol.SignedCheckpoint, error) {
	ours := l.hello()
	var theirs wire.Hello
	err := l.asks(ctx, probeProtocol, func(s network.Stream) (err error) {
		theirs, _, err = l.all.cfg.askHello(s, bufio.NewReaderSize(s, wire.MaxHello), &ours)
		return err
	})
	if err == nil {
		err = ours.Check(&theirs, l.index)
	}
	return theirs.Remembered, err
}
