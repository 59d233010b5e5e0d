package gossip

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

// receiptProtocol has a peer sign what it remembers of the opener's ledger, for an auditor of the opener. The opener sends an
// empty frame, so that it does not choose what is signed: a checkpoint that it has signed before, and the other end's time. The other end
// answers with an empty frame if it remembers none.
const receiptProtocol = "/peerd/receipt/1"

// signedReceipt is the domain of signatures of receipts.
const signedReceipt = "peerd/receipt/1"

// maxTime is the last second of the year 9999.
const maxTime = 253402300799

// The schedule of receipts depends on links and on time alone. The wait after a link came up lets the neighbour read
// this peer's checkpoint first.
const (
	receiptAfter = time.Second
	receiptEvery = time.Hour
)

// attested returns what the signature of a receipt of a peer's ledger covers in addition to its domain.
func (c *Config) attested(owner protocol.Peer, r *protocol.Receipt) []byte {
	b := append(append([]byte(c.Network), 0), c.Peers[owner].ID...)
	b = binary.BigEndian.AppendUint64(append(b, 0), r.Records)
	return binary.BigEndian.AppendUint64(append(b, r.Head[:]...), uint64(r.Time))
}

// AskReceipts asks the neighbours whose links are up, all at once, for receipts, and passes each to [Config.OnReceipt]. A neighbour
// that does not know the protocol gives none.
func (h *Host) AskReceipts(ctx context.Context) { h.askReceipts(ctx, h.cfg.Neighbours) }

func (h *Host) askReceipts(ctx context.Context, of []protocol.Peer) {
	var all sync.WaitGroup
	defer all.Wait()
	for _, n := range of {
		l := h.members[n].link
		if l.outbound() == nil || h.cfg.OnReceipt == nil || !h.enter() {
			continue
		}
		all.Go(func() {
			defer h.running.Done()
			r, err := l.askReceipt(ctx)
			h.traders[l.id].judge(err, h.log)
			switch {
			case err != nil:
				l.log.Debug("no receipt", "reason", oneLine(err))
			case r.Records > 0:
				h.cfg.OnReceipt(r)
			}
		})
	}
}

// outbound returns the stream to the neighbour if the link is up, and nil otherwise.
func (l *link) outbound() network.Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in == nil {
		return nil
	}
	return l.out
}

// askReceipt returns the neighbour's receipt, without records if it remembers nothing.
func (l *link) askReceipt(ctx context.Context) (r protocol.Receipt, err error) {
	err = l.asks(ctx, receiptProtocol, func(s network.Stream) error {
		if _, failed := s.Write([]byte{0}); failed != nil { // the empty frame
			return failed
		}
		f := frameReader{r: bufio.NewReaderSize(s, protocol.ReceiptSize+maxPrefix)}
		b, failed := f.next(protocol.ReceiptSize)
		if failed == nil && len(b) > 0 {
			r, failed = l.h.readReceipt(b, l.member)
		}
		return failed
	})
	return r, err
}

// readReceipt reads a receipt that a witness has signed, about this peer's ledger.
func (h *Host) readReceipt(b []byte, witness *member) (r protocol.Receipt, err error) {
	if len(b) != protocol.ReceiptSize {
		return r, fmt.Errorf("%w: receipt of %d bytes", errViolation, len(b))
	}
	if r = protocol.ParseReceipt(b, h.cfg.Peers[witness.index].ID); r.Records == 0 || r.Time < 0 || r.Time > maxTime {
		return r, fmt.Errorf("%w: receipt not in canonical form", errViolation)
	}
	if !Verify(r.Witness, signedReceipt, h.cfg.attested(h.cfg.Self, &r), r.Signature[:]) {
		return r, fmt.Errorf("%w: receipt with a wrong signature", errViolation)
	}
	return r, nil
}

// giveReceipt serves a stream of receiptProtocol.
func (h *Host) giveReceipt(s network.Stream, to *trader) error {
	if to.unheard || h.cfg.Peers[to.index].Absent {
		return fmt.Errorf("%w: no part in the network", errViolation)
	}
	f := frameReader{r: bufio.NewReaderSize(s, maxPrefix)}
	if _, err := f.next(0); err != nil {
		return err
	}
	b, err := h.receipt(to.index)
	if err == nil {
		_, err = s.Write(prefixed(b))
	}
	return err
}

// receipt returns the frame with a receipt of a peer's ledger; nil if nothing is remembered that the peer has signed.
func (h *Host) receipt(of protocol.Peer) ([]byte, error) {
	c := h.members[of].remembered()
	if !h.showable(of, &c) || !h.cfg.proves(of, c) {
		return nil, nil
	}
	r := protocol.Receipt{Checkpoint: c.Checkpoint, Time: h.cfg.time().Unix()}
	sig, err := h.cfg.Identity.Sign(signedReceipt, h.cfg.attested(of, &r))
	copy(r.Signature[:], sig)
	return r.Bytes(), err
}

// gatherReceipts asks each neighbour a while after its link came up, and then all of them again and again, until the host is done.
func (h *Host) gatherReceipts(after, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	asked := make(map[protocol.Peer]network.Stream)
	for wait := time.NewTimer(after); ; wait.Reset(after) {
		select {
		case <-h.work.Done():
			return
		case <-wait.C:
		}
		h.mu.Lock()
		changed := h.changed
		h.mu.Unlock()
		var of []protocol.Peer
		for _, n := range h.cfg.Neighbours {
			if s := h.members[n].link.outbound(); s != nil && s != asked[n] {
				of, asked[n] = append(of, n), s
			}
		}
		h.askReceipts(h.work, of)
		select {
		case <-h.work.Done():
			return
		case <-changed:
		case <-tick.C:
			clear(asked)
		}
	}
}
