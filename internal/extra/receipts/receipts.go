package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"peerd.dev/node/api"
	"peerd.dev/node/site/signed"
	"peerd.dev/protocol"
)

const (
	askedEvery  = 10 * time.Second // at most, that neighbours are asked for receipts through the API
	askedWithin = 3 * time.Second
)

// Receipts implements [api.Backend]. It asks the neighbours for new ones first.
func (p *Daemon) Receipts(ctx context.Context) (api.LedgerReceipts, error) {
	l, ok := p.player.(*live)
	if !ok { // in lockstep there are none
		return showReceipts(nil, nil), nil
	}
	last := l.asked.Load()
	if _, host := p.now(); host != nil && time.Since(time.Unix(0, last)) >= askedEvery && l.asked.CompareAndSwap(last, time.Now().UnixNano()) {
		within, cancel := context.WithTimeout(ctx, askedWithin)
		defer cancel()
		host.AskReceipts(within)
	}
	of, known, err := l.site.Receipts()
	return showReceipts(of, known), err
}

func showReceipts(of []protocol.Receipt, known []signed.Known) api.LedgerReceipts {
	d := api.LedgerReceipts{Receipts: []api.LedgerReceipt{}, Checkpoints: []api.LedgerCheckpoint{}}
	for _, r := range of {
		d.Receipts = append(d.Receipts, api.LedgerReceipt{
			Kind: "receipt", Witness: r.Witness, Records: r.Records, Head: hex.EncodeToString(r.Head[:]),
			Time: time.Unix(r.Time, 0).UTC(), Signature: hex.EncodeToString(r.Signature[:]),
		})
	}
	for _, c := range known {
		d.Checkpoints = append(d.Checkpoints, api.LedgerCheckpoint{
			Kind: "checkpoint", Peer: c.Key, Records: c.Records, Head: hex.EncodeToString(c.Head[:]), Signature: hex.EncodeToString(c.Signature[:]),
		})
	}
	return d
}

// ReceiptLines returns what neighbours have signed about the ledger of the peer in dir, and then what other peers have signed about
// theirs, each as a line of JSON without the newline. A running peer asks its neighbours first; of a stopped one it reads the store.
func ReceiptLines(ctx context.Context, dir string) (lines [][]byte, err error) {
	var d api.LedgerReceipts
	st, done, err := stopped(dir)
	switch {
	case err != nil:
		return nil, err
	case st == nil:
		err = api.Get(ctx, dir, "/v1/receipts", &d)
	default:
		of, known, failed := signed.In(st)
		d, err = showReceipts(of, known), errors.Join(failed, done())
	}
	for _, r := range d.Receipts {
		b, _ := json.Marshal(r) // the types have no values without a form in JSON
		lines = append(lines, b)
	}
	for _, c := range d.Checkpoints {
		b, _ := json.Marshal(c)
		lines = append(lines, b)
	}
	return lines, err
}
