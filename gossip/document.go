package gossip

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/protocol"
)

// ErrDocument is wrapped by errors of a [Document] that are the fault of the peer that showed it. They are counted
// and logged with that peer's name.
var ErrDocument = errors.New("network document refused")

// A Lie is an error of [Document.Merge] that is the fault of the peer that has signed what another one showed. It is counted and
// logged with the name of the signer, and the exchange goes on.
type Lie struct {
	Of  protocol.Peer
	Err error
}

func (l *Lie) Error() string { return l.Err.Error() }

// A Document is what a peer holds of the network document. The peer shows it to every peer that
// was ever in the network. Its methods are called concurrently.
type Document interface {
	// Summary returns what it holds, in short: up to 512 KiB, and nothing if it holds nothing yet.
	Summary() ([]byte, error)
	// Lacks returns what a peer with a summary lacks, in frames of 1 byte to 64 KiB. No frame needs a later one.
	Lacks(summary []byte) ([][]byte, error)
	// Merge adds frames of another peer.
	Merge(frames [][]byte) error
}

// TradeDocument exchanges network documents with a peer: each gets what it lacks. The peer need not be a neighbour.
func (h *Host) TradeDocument(ctx context.Context, to protocol.Peer) error {
	if h.cfg.Document == nil {
		return nil
	}
	if !h.enter() {
		return ErrClosed
	}
	defer h.running.Done()
	with := h.traders[h.members[to].id]
	err := ask(ctx, h.libp2p, with.id, documentProtocol, func(s network.Stream) error { return with.trade(s, h.cfg.Document, h.log).open() })
	with.judge(err, h.log)
	if err == nil {
		with.alive()
	}
	return err
}

// tradeBack serves a stream of documentProtocol.
func (h *Host) tradeBack(s network.Stream) {
	h.serve(s, func(with *trader) error { return with.trade(s, h.cfg.Document, h.log).answer() })
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
