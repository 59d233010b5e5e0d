package gossip

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

// memoryProtocol carries the signed checkpoints that two peers remember of all peers. With it a checkpoint reaches
// peers that are no neighbours of its owner, and each of them can answer for a neighbour that is away or has lost its
// folder. No other peer can invent one, so a peer can only withhold them.
const memoryProtocol = "/peerd/memory/2"

// maxMemories bounds a frame of memoryProtocol, in bytes: an index and a checkpoint for each of 10,000 peers.
const maxMemories = (10_000 + maxUnshown) * (binary.MaxVarintLen32 + 8 + 32 + signatureSize)

// maxUnshown is how many checkpoints of the receiver a frame may have in addition to the highest.
const maxUnshown = 3

// TradeMemories exchanges with a peer, which need not be a neighbour, the checkpoints that both remember of all peers.
func (h *Host) TradeMemories(ctx context.Context, with protocol.Peer) error {
	if !h.cfg.Checkpoints || !h.enter() {
		return nil
	}
	defer h.running.Done()
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	s, err := h.libp2p.NewStream(ctx, h.members[with].id, memoryProtocol)
	if err != nil {
		return fmt.Errorf("gossip: %w", err)
	}
	defer func() { _ = s.Reset() }()
	defer context.AfterFunc(ctx, func() { _ = s.Reset() })()
	if _, err = s.Write(prefixed(h.memories(with))); err != nil {
		return err
	}
	if err = h.readMemories(s, with); err == nil {
		h.members[with].shown()
	}
	h.traders[h.members[with].id].judge(err, h.log)
	return err
}

// tradeMemories serves a stream of memoryProtocol.
func (h *Host) tradeMemories(s network.Stream) {
	h.serve(s, func(with *trader) error {
		if with.unheard || h.cfg.Peers[with.index].Absent {
			return fmt.Errorf("%w: no part in the network", errViolation)
		}
		if err := s.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
			return err
		}
		if err := h.readMemories(s, with.index); err != nil {
			return err
		}
		_, err := s.Write(prefixed(h.memories(with.index)))
		if err == nil {
			with.shown()
		}
		return err
	})
}

// memories returns the highest checkpoint of each peer that is known here with its signature, or was stated with the key, this
// peer's among them. Of the peer that they are for it also returns those that it has to compare with its ledger.
func (h *Host) memories(to protocol.Peer) (b []byte) {
	for _, m := range h.members {
		all := []protocol.SignedCheckpoint{m.remembered()}
		switch m.index { //nolint:exhaustive // peers are numbers
		case h.cfg.Self:
			all[0] = *h.checkpoint.Load()
		case to:
			all = append(all, m.unshown()...)
		}
		for _, c := range all {
			if c.Records > 0 && (c.Signature != [signatureSize]byte{} || c.Checkpoint == h.cfg.Peers[m.index].stated()) {
				b = appendCheckpoint(binary.AppendUvarint(b, uint64(m.index)), c)
			}
		}
	}
	return b
}

func (h *Host) readMemories(s network.Stream, from protocol.Peer) error {
	f := frameReader{r: bufio.NewReader(s)}
	b, err := f.next(maxMemories)
	if err != nil {
		return err
	}
	for last, more := -1, maxUnshown; len(b) > 0; {
		of, n := binary.Uvarint(b)
		if of == uint64(h.cfg.Self) && int(of) == last && more > 0 {
			last, more = last-1, more-1 // another one of this peer
		}
		if n <= 0 || len(b) < n+checkpointSize || of > uint64(^uint32(0)) || int(of) <= last {
			return fmt.Errorf("%w: checkpoints not in canonical form", errViolation)
		}
		c, err := readCheckpoint(b[n : n+checkpointSize])
		if err != nil {
			return err
		}
		b, last = b[n+checkpointSize:], int(of)
		if last < len(h.members) { // the other may be at a later version of the network
			h.learn(h.members[last], c, from)
		}
	}
	return nil
}

// learn takes a checkpoint that a peer remembers of another one, or of this one, if its owner has signed it. A wrong signature
// is not counted: the owner's key may have changed in a version that one of the two does not know.
func (h *Host) learn(m *member, c protocol.SignedCheckpoint, from protocol.Peer) {
	if m.index == h.cfg.Self {
		h.compareOwn(from, c)
		if h.cfg.OnMemory != nil && h.cfg.proves(m.index, c) {
			h.cfg.OnMemory(from, c.Checkpoint)
		}
		return
	}
	m.order.Lock()
	defer m.order.Unlock()
	h.compare(m, c)
	if c.Records > m.remembered().Records && h.cfg.proves(m.index, c) {
		m.pass()
		m.keep(c)
		if h.cfg.OnCheckpoint != nil {
			h.cfg.OnCheckpoint(m.index, c)
		}
	}
}
