package receipts

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/gossip/wire"
	"peerd.dev/node/site/receipts"
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

// A witness asks the neighbours of a host with a configuration for receipts, and gives them its own.
type witness struct {
	*gossip.Config
	keep func(r receipts.Receipt)
}

func (w witness) service() gossip.Service {
	return gossip.Service{ID: receiptProtocol, Answer: w.give, Run: func(ctx context.Context, h *gossip.Host) { w.gather(ctx, h, receiptAfter, receiptEvery) }}
}

// attested returns what the signature of a receipt of a peer's ledger covers in addition to its domain.
func (w witness) attested(owner protocol.Peer, r *receipts.Receipt) []byte {
	b := append(append([]byte(w.Network), 0), w.Peers[owner].ID...)
	b = binary.BigEndian.AppendUint64(append(b, 0), r.Records)
	return binary.BigEndian.AppendUint64(append(b, r.Head[:]...), uint64(r.Time))
}

// ask asks some neighbours, all at once, for receipts. A neighbour that does not know the protocol gives none.
func (w witness) ask(ctx context.Context, h *gossip.Host, of map[protocol.Peer]any) {
	var all sync.WaitGroup
	defer all.Wait()
	for n := range of {
		all.Go(func() {
			var r receipts.Receipt
			if h.Ask(ctx, n, receiptProtocol, func(s io.ReadWriter) (err error) {
				r, err = w.read(s, n)
				return err
			}) == nil && r.Records > 0 {
				w.keep(r)
			}
		})
	}
}

// read asks on a stream, and reads a receipt that a witness has signed about this peer's ledger; it is without records if the witness
// remembers nothing.
func (w witness) read(s io.ReadWriter, by protocol.Peer) (r receipts.Receipt, err error) {
	if _, err = s.Write([]byte{0}); err != nil { // the empty frame
		return r, err
	}
	in := bufio.NewReader(s)
	n, err := in.ReadByte() // of a frame that is shorter than 128 bytes
	if err != nil || n == 0 {
		return r, err
	}
	var b [receipts.Size]byte
	if n != receipts.Size {
		return r, fmt.Errorf("%w: receipt of %d bytes", wire.ErrViolation, n)
	}
	if _, err = io.ReadFull(in, b[:]); err != nil {
		return r, err
	}
	if r = receipts.Parse(b[:], w.Peers[by].ID); r.Records == 0 || r.Time < 0 || r.Time > maxTime {
		return r, fmt.Errorf("%w: receipt not in canonical form", wire.ErrViolation)
	}
	if !gossip.Verify(r.Witness, signedReceipt, w.attested(w.Self, &r), r.Signature[:]) {
		return r, fmt.Errorf("%w: receipt with a wrong signature", wire.ErrViolation)
	}
	return r, nil
}

// give serves a stream of receiptProtocol.
func (w witness) give(h *gossip.Host, s io.ReadWriter, to protocol.Peer) error {
	var empty [1]byte
	switch _, err := io.ReadFull(s, empty[:]); {
	case err != nil:
		return err
	case empty[0] != 0:
		return fmt.Errorf("%w: a frame that is not empty", wire.ErrViolation)
	}
	c := h.Proven(to)
	if c.Records == 0 {
		_, err := s.Write(empty[:])
		return err
	}
	r := receipts.Receipt{Checkpoint: c, Time: time.Now().Unix()}
	sig, err := w.Identity.Sign(signedReceipt, w.attested(to, &r))
	if err == nil {
		copy(r.Signature[:], sig)
		_, err = s.Write(append([]byte{receipts.Size}, r.Bytes()...))
	}
	return err
}

// gather asks each neighbour a while after its link came up, and then all of them again and again, until ctx is done.
func (w witness) gather(ctx context.Context, h *gossip.Host, after, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	asked := make(map[protocol.Peer]any)
	for wait := time.NewTimer(after); ; wait.Reset(after) {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
		of, changed := h.Linked()
		for n, s := range of {
			if s == asked[n] {
				delete(of, n)
			}
			asked[n] = s
		}
		w.ask(ctx, h, of)
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-tick.C:
			clear(asked)
		}
	}
}
