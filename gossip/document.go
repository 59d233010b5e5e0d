package gossip

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/protocol"
)

// documentProtocol carries what two peers hold of the network document. It changes nothing else.
// It is open to peers with former ids and to peers that left, so that a peer that was absent during a change learns of
// it. What such a peer shows is not merged: it has no part in the network any more, and could send anything.
const documentProtocol = "/peerd/document/3"

// Bounds of an exchange, in one direction.
const (
	maxSummary = 128 << 10 // bytes
	maxItem    = 64 << 10  // bytes of a frame
	maxItems   = 30_000    // frames: as many versions and records as the largest network has
	mergeItems = 64        // frames that are merged at once, so that few are in memory
)

// ErrDocument is wrapped by errors of [Document.Merge] that are the fault of the peer that showed it. They are counted
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
	// Summary returns what the peer holds, in short: equal summaries are of equal documents. It is empty for a peer that holds nothing.
	Summary() ([]byte, error)
	// Lacks returns in frames what a peer with a summary lacks.
	Lacks(summary []byte) ([][]byte, error)
	// Merge adds frames of another peer.
	Merge(frames [][]byte) error
}

// TradeDocument exchanges network documents with a peer: it shows what this peer holds and merges
// what the other peer holds. The peer need not be a neighbour.
func (h *Host) TradeDocument(ctx context.Context, to protocol.Peer) error {
	if h.cfg.Document == nil {
		return nil
	}
	if !h.enter() {
		return ErrClosed
	}
	defer h.running.Done()
	id := h.members[to].id
	err := ask(ctx, h.libp2p, id, documentProtocol, func(s network.Stream) error { return trade(s, h.cfg.Document) })
	err = h.traders[id].excuse(err, h.log)
	h.traders[id].judge(err, h.log)
	if err == nil {
		h.members[to].alive()
	}
	return err
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
		return trade(s, d)
	})
	return from, err
}

// trade sends the hash of this end's summary. The other end answers with its own one if that differs. Then both send what the other one
// lacks, and an empty frame; this end first.
func trade(s network.Stream, d Document) error {
	ours, err := d.Summary()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(ours)
	if _, err = s.Write(prefixed(hash[:])); err != nil {
		return err
	}
	f := frameReader{r: bufio.NewReader(s)}
	theirs, err := f.next(maxSummary)
	if err != nil || len(theirs) == 0 {
		return err
	}
	frames, err := d.Lacks(theirs)
	if err == nil {
		err = send(s, append([][]byte{ours}, frames...)...)
	}
	if err != nil {
		return err
	}
	return f.merge(d)
}

// send writes frames, and an empty one.
func send(s network.Stream, frames ...[]byte) error {
	w := bufio.NewWriter(s)
	for _, x := range frames {
		_, _ = w.Write(prefixed(x)) // Flush returns the error
	}
	_ = w.WriteByte(0)
	return w.Flush()
}

// merge reads frames until an empty one, and merges them. It ends with the first that is the other end's fault.
func (f *frameReader) merge(d Document) (wrong error) {
	var frames [][]byte
	for range maxItems {
		x, err := f.next(maxItem)
		if err != nil {
			return err
		}
		if len(x) > 0 {
			frames = append(frames, bytes.Clone(x))
		}
		if len(x) == 0 || len(frames) == mergeItems {
			if err = d.Merge(frames); err != nil {
				wrong = cmp.Or(wrong, err)
			}
			frames = frames[:0]
		}
		if len(x) == 0 || errors.Is(wrong, ErrDocument) {
			return wrong
		}
	}
	return fmt.Errorf("%w: more than %d frames", errViolation, maxItems)
}

// tradeBack serves a stream of documentProtocol.
func (h *Host) tradeBack(s network.Stream) {
	h.serve(s, func(with *trader) error { return h.answerTrade(s, with) })
}

func (h *Host) answerTrade(s network.Stream, with *trader) error {
	f := frameReader{r: bufio.NewReader(s)}
	hash, err := f.next(sha256.Size)
	if err != nil {
		return err
	}
	ours, err := h.cfg.Document.Summary()
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(ours); bytes.Equal(sum[:], hash) {
		return send(s)
	}
	if _, err = s.Write(prefixed(ours)); err != nil {
		return err
	}
	theirs, err := f.next(maxSummary)
	if err != nil {
		return err
	}
	theirs = bytes.Clone(theirs)
	if !with.unheard {
		if err = with.excuse(f.merge(h.cfg.Document), h.log); err != nil {
			return err
		}
	}
	frames, err := h.cfg.Document.Lacks(theirs)
	if err != nil {
		return err
	}
	return send(s, frames...)
}
