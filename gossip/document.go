package gossip

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// A stream of documentProtocol carries what two peers hold of the network document. It changes nothing else.
// It is open to peers with former ids and to peers that left, so that a peer that was absent during a change learns of
// it. The frames of such a peer are not read: it has no part in the network any more, and could send anything.
//
// The opener sends the hash of its summary. The other end answers with its own summary, or with the empty frame if they are equal. Then the
// opener sends its summary and what the other end lacks, and the other end merges it and sends what the opener lacks. Each of these two lists
// ends with the empty frame. The opener writes its list before it reads one, and so the ends never wait for each other.

// Bounds of an exchange.
const (
	maxSummary = 512 << 10 // bytes: more than a full document has
	maxShown   = 64 << 10  // bytes of a frame
	maxFrames  = 20_000    // about as many as a full document has; what is beyond goes with the next exchange
	maxBatch   = 64        // frames that are merged at once: 4 MB of memory
)

// documents are exchanged with everyone who was ever in the network.
type documents struct{ *base }

// TradeDocument exchanges network documents with a peer: each gets what it lacks. The peer need not be a neighbour.
func (d *documents) TradeDocument(ctx context.Context, to protocol.Peer) error {
	if d.cfg.Document == nil {
		return nil
	}
	with := d.traders[d.members[to].id]
	err := d.trade(ctx, to, documentProtocol, func(s network.Stream) error { return with.trade(s, d.cfg.Document, d.log).open() })
	if err == nil {
		with.alive()
	}
	return err
}

// tradeBack serves a stream of documentProtocol.
func (d *documents) tradeBack(s network.Stream, with *trader) error {
	return with.trade(s, d.cfg.Document, d.log).answer()
}

// TradeDocument does what [Host.TradeDocument] does, with one peer and without a host. It returns
// the local address of the connection.
func TradeDocument(ctx context.Context, id Identity, with PeerInfo, d Document) (from string, err error) {
	to, unusable, err := with.parse()
	if err == nil && len(to.Addrs) == 0 {
		err = errors.Join(unusable...)
	}
	if err != nil {
		return "", err
	}
	h, err := newLibp2p(Config{Identity: id, Peers: []PeerInfo{with}}, newGate(id.id, []peer.AddrInfo{to}, nil, slog.New(slog.DiscardHandler)))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if err = h.Connect(ctx, to); err != nil {
		return "", fmt.Errorf("gossip: %w", err)
	}
	err = ask(network.WithNoDial(ctx, "connected before"), h, to.ID, documentProtocol, func(s network.Stream) error {
		from = s.Conn().LocalMultiaddr().String()
		return new(trader).trade(s, d, nil).open()
	})
	return from, err
}

// trade is one end of a stream of documentProtocol. After an error it sends and merges nothing more.
type trade struct {
	network.Stream
	Document
	ours []byte // summary
	with *trader
	log  *slog.Logger
	in   wire.Reader
	err  error
}

func (t *trader) trade(s network.Stream, d Document, log *slog.Logger) *trade {
	x := &trade{Stream: s, Document: d, with: t, log: log}
	x.in.In = bufio.NewReader(x)
	x.ours, x.err = d.Summary()
	return x
}

// Read reads the stream. If the other end ends it, the exchange is not whole. A broken connection is no fault.
func (x *trade) Read(b []byte) (int, error) {
	n, err := x.Stream.Read(b)
	if errors.Is(err, io.EOF) && !errors.Is(err, network.ErrReset) {
		err = fmt.Errorf("%w: the stream ends within an exchange", wire.ErrViolation)
	}
	return n, err
}

func (x *trade) open() error {
	hash := sha256.Sum256(x.ours)
	x.send(hash[:])
	if theirs := x.next(maxSummary); len(theirs) > 0 {
		x.send(x.ours)
		x.show(theirs)
		x.hear()
	}
	return x.err
}

func (x *trade) answer() error {
	hash, sum := x.next(sha256.Size), sha256.Sum256(x.ours)
	if bytes.Equal(sum[:], hash) {
		x.send([]byte{})
		return x.err
	}
	x.send(x.ours)
	theirs := x.next(maxSummary)
	x.hear()
	x.show(theirs)
	return x.err
}

// next returns the next frame; nil after an error.
func (x *trade) next(limit int) (b []byte) {
	if x.err == nil {
		b, x.err = x.in.Next(limit)
	}
	return bytes.Clone(b)
}

func (x *trade) send(frames ...[]byte) {
	if x.err != nil {
		return
	}
	w := bufio.NewWriter(x)
	for _, b := range frames {
		_, _ = w.Write(wire.Prefixed(b)) // Flush returns the first error
	}
	x.err = w.Flush()
}

// show sends what a peer with a summary lacks.
func (x *trade) show(summary []byte) {
	if x.err != nil {
		return
	}
	frames, err := x.Lacks(summary)
	x.err = err
	x.send(append(slices.Clip(frames[:min(len(frames), maxFrames)]), nil)...)
}

// hear merges what the other end shows.
func (x *trade) hear() {
	var frames [][]byte
	for n, more := 0, !x.with.unheard; more && x.err == nil; n++ {
		b := x.next(maxShown)
		if more = len(b) > 0; more {
			frames = append(frames, b)
		}
		switch {
		case x.err != nil:
		case n == maxFrames && more:
			x.err = fmt.Errorf("%w: more than %d frames in an exchange", wire.ErrViolation, maxFrames)
		case !more || len(frames) == maxBatch:
			x.err, frames = x.with.excuse(x.Merge(frames), x.log), nil
		}
	}
}
