package gossip

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// A stream of memoryProtocol carries the signed checkpoints that two peers remember of all peers. With it a checkpoint reaches
// peers that are no neighbours of its owner, and each of them can answer for a neighbour that is away or has lost its
// folder. No other peer can invent one, so a peer can only withhold them.
//
// The opener sends a nonce, the hash of its digests of all checkpoints, and what it remembers of the other end. The other end answers
// with an empty frame, or, if its own digests have another hash, with them; then each end sends the checkpoints that the other
// lacks by its digests. The last frame is what the other end remembers of the opener. So two that agree send some hundred bytes.

// Bounds of the frames of memoryProtocol in bytes, for 10,000 peers.
const (
	maxMemories = (10_000 + maxUnshown) * (binary.MaxVarintLen32 + wire.CheckpointSize)
	maxDigests  = 10_000 * (binary.MaxVarintLen64 + digestSize)
)

// maxUnshown is how many checkpoints of the receiver a frame may have in addition to the highest.
const maxUnshown = 3

const (
	nonceSize = 16
	// digestSize is short: the nonce of each exchange is new, so two heads with one digest differ in the next exchange.
	digestSize = 4
)

// TradeMemories exchanges with a peer, which need not be a neighbour, the checkpoints that both remember of all peers.
func (k *ledgers) TradeMemories(ctx context.Context, with protocol.Peer) error {
	if !k.cfg.Checkpoints {
		return nil
	}
	err := k.trade(ctx, with, memoryProtocol, func(s network.Stream) error { return k.askMemories(s, with) })
	if err == nil {
		k.members[with].shown()
	}
	return err
}

// askMemories is the opener's half of an exchange.
func (k *ledgers) askMemories(s network.Stream, with protocol.Peer) error {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // does not fail
	ours := k.digests(nonce)
	sum := sha256.Sum256(ours)
	if _, err := s.Write(append(wire.Prefixed(append(nonce, sum[:]...)), wire.Prefixed(k.about(with))...)); err != nil {
		return err
	}
	f := wire.Reader{In: bufio.NewReader(s)}
	theirs, err := f.Next(maxDigests)
	if err != nil {
		return err
	}
	if len(theirs) > 0 { // they differ
		news, err := k.ahead(theirs, nonce)
		if err != nil {
			return err
		}
		if _, err = s.Write(append(wire.Prefixed(news), wire.Prefixed(ours)...)); err != nil {
			return err
		}
		if err = k.readMemories(&f, with); err != nil {
			return err
		}
	}
	return k.readMemories(&f, with) // of this peer
}

// tradeMemories serves a stream of memoryProtocol.
func (k *ledgers) tradeMemories(s network.Stream, with *trader) error {
	if with.unheard || k.cfg.Peers[with.index].Absent {
		return fmt.Errorf("%w: no part in the network", wire.ErrViolation)
	}
	err := k.answerMemories(s, with.index)
	if err == nil {
		with.shown()
	}
	return err
}

func (k *ledgers) answerMemories(s network.Stream, with protocol.Peer) error {
	f := wire.Reader{In: bufio.NewReader(s)}
	b, err := f.Next(nonceSize + sha256.Size)
	if err != nil {
		return err
	}
	if len(b) != nonceSize+sha256.Size {
		return fmt.Errorf("%w: a question of %d bytes", wire.ErrViolation, len(b))
	}
	nonce, sum := [nonceSize]byte(b), [sha256.Size]byte(b[nonceSize:])
	if err = k.readMemories(&f, with); err != nil {
		return err
	}
	var answer []byte
	if ours := k.digests(nonce[:]); sha256.Sum256(ours) == sum {
		answer = []byte{0} // the empty frame
	} else if answer, err = k.answerDigests(s, &f, ours, nonce[:], with); err != nil {
		return err
	}
	// Last, so that it reports what it has just heard, too.
	_, err = s.Write(append(answer, wire.Prefixed(k.about(with))...))
	return err
}

// answerDigests sends the digests of this peer, reads what the other end knows beyond them, and its digests, and returns the frame that
// answers those.
func (k *ledgers) answerDigests(s network.Stream, f *wire.Reader, ours, nonce []byte, with protocol.Peer) ([]byte, error) {
	if _, err := s.Write(wire.Prefixed(ours)); err != nil {
		return nil, err
	}
	if err := k.readMemories(f, with); err != nil {
		return nil, err
	}
	theirs, err := f.Next(maxDigests)
	if err != nil {
		return nil, err
	}
	news, err := k.ahead(theirs, nonce)
	return wire.Prefixed(news), err
}

// shows returns the highest checkpoint of a peer, or this one's own, if it can be shown to others. It has no records if there is none.
func (k *ledgers) shows(m *member) protocol.SignedCheckpoint {
	c := m.remembered()
	if m.index == k.cfg.Self {
		c = *k.checkpoint.Load()
	}
	if !k.showable(m.index, &c) {
		return protocol.SignedCheckpoint{}
	}
	return c
}

// about returns what is remembered of the peer that it is for: the highest checkpoint, and those that it has to compare with its ledger.
func (k *ledgers) about(to protocol.Peer) (b []byte) {
	m := k.members[to]
	for _, c := range append([]protocol.SignedCheckpoint{m.remembered()}, m.unshown()...) {
		if k.showable(to, &c) {
			b = appendMemory(b, to, c)
		}
	}
	return b
}

func appendMemory(b []byte, of protocol.Peer, c protocol.SignedCheckpoint) []byte {
	return wire.AppendCheckpoint(binary.AppendUvarint(b, uint64(of)), c)
}

// digests returns, for each peer, the number of records that this peer shows, as a varint, and a digest of the head unless there are none.
func (k *ledgers) digests(nonce []byte) (b []byte) {
	for _, m := range k.members {
		c := k.shows(m)
		if b = binary.AppendUvarint(b, c.Records); c.Records > 0 {
			b = append(b, digest(nonce, &c)...)
		}
	}
	return b
}

func digest(nonce []byte, c *protocol.SignedCheckpoint) []byte {
	sum := sha256.Sum256(append(nonce[:nonceSize:nonceSize], c.Head[:]...))
	return sum[:digestSize]
}

// ahead returns the checkpoints that the peer that sent digests lacks, or has otherwise for the same number of records.
func (k *ledgers) ahead(theirs, nonce []byte) (b []byte, err error) {
	for _, m := range k.members {
		var has uint64
		var of []byte
		if len(theirs) > 0 { // the other may be at an earlier version of the network
			var n int
			if has, n = binary.Uvarint(theirs); n <= 0 || has > 0 && len(theirs) < n+digestSize {
				return nil, fmt.Errorf("%w: digests of checkpoints not in canonical form", wire.ErrViolation)
			}
			if theirs = theirs[n:]; has > 0 {
				of, theirs = theirs[:digestSize], theirs[digestSize:]
			}
		}
		if c := k.shows(m); c.Records > has || c.Records == has && has > 0 && string(digest(nonce, &c)) != string(of) {
			b = appendMemory(b, m.index, c)
		}
	}
	return b, nil
}

func (k *ledgers) readMemories(f *wire.Reader, from protocol.Peer) error {
	b, err := f.Next(maxMemories)
	if err != nil {
		return err
	}
	for last, more := -1, maxUnshown; len(b) > 0; {
		of, n := binary.Uvarint(b)
		if of == uint64(k.cfg.Self) && int(of) == last && more > 0 {
			last, more = last-1, more-1 // another one of this peer
		}
		if n <= 0 || len(b) < n+wire.CheckpointSize || of > uint64(^uint32(0)) || int(of) <= last {
			return fmt.Errorf("%w: checkpoints not in canonical form", wire.ErrViolation)
		}
		c, err := wire.ReadCheckpoint(b[n : n+wire.CheckpointSize])
		if err != nil {
			return err
		}
		b, last = b[n+wire.CheckpointSize:], int(of)
		if last < len(k.members) { // the other may be at a later version of the network
			k.learn(k.members[last], c, from)
		}
	}
	return nil
}

// learn takes a checkpoint that a peer remembers of another one, or of this one, if its owner has signed it. A wrong signature
// is not counted: the owner's key may have changed in a version that one of the two does not know.
func (k *ledgers) learn(m *member, c protocol.SignedCheckpoint, from protocol.Peer) {
	if m.index == k.cfg.Self {
		k.compareOwn(from, c)
		if k.cfg.OnMemory != nil && k.cfg.proves(m.index, c) {
			k.cfg.OnMemory(from, c.Checkpoint)
		}
		return
	}
	m.order.Lock()
	defer m.order.Unlock()
	k.compare(m, c)
	if c.Records > m.remembered().Records && k.cfg.proves(m.index, c) {
		m.pass()
		m.keep(c)
		if k.cfg.OnCheckpoint != nil {
			k.cfg.OnCheckpoint(m.index, c)
		}
	}
}
