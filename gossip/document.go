package gossip

import (
	"bufio"
	"bytes"
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
// it. What such a peer shows is not read: it has no part in the network any more, and could send anything.
const documentProtocol = "/peerd/document/2"

// maxDocument bounds what a peer shows of the network document: a frame's length has three bytes.
const maxDocument = 1<<21 - 1

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
	Show() ([]byte, error)
	// Merge adds what another peer shows.
	Merge(b []byte) error
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

// trade sends the hash of what this end shows. The other end answers with what it shows if that
// differs. This end merges the answer and then sends its own document if it differs from the
// other end's.
func trade(s network.Stream, d Document) error {
	ours, err := d.Show()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(ours)
	if _, err = s.Write(prefixed(hash[:])); err != nil {
		return err
	}
	f := frameReader{r: bufio.NewReader(s)}
	theirs, err := f.next(maxDocument)
	if err != nil || len(theirs) == 0 {
		return err
	}
	wrong := d.Merge(theirs)
	if ours, err = d.Show(); err != nil {
		return err
	}
	answer := []byte{0} // the empty frame
	if !bytes.Equal(ours, theirs) {
		answer = prefixed(ours)
	}
	if _, err = s.Write(answer); err == nil {
		err = s.CloseWrite()
	}
	if err == nil {
		_, err = f.next(0) // the other end has merged it
	}
	return errors.Join(wrong, err)
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
	ours, err := h.cfg.Document.Show()
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(ours); bytes.Equal(sum[:], hash) {
		_, err = s.Write([]byte{0})
		return err
	}
	if _, err = s.Write(prefixed(ours)); err != nil {
		return err
	}
	if with.unheard {
		_, err = s.Write([]byte{0})
		return err
	}
	theirs, err := f.next(maxDocument)
	if err == nil && len(theirs) > 0 {
		err = with.excuse(h.cfg.Document.Merge(theirs), h.log)
	}
	if err != nil {
		return err
	}
	_, err = s.Write([]byte{0})
	return err
}
