// Package receipts is the extra by which neighbours sign what they remember of each other's ledgers, for auditors.
package receipts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/ask"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
	"peerd.dev/node/site/receipts"
	"peerd.dev/node/site/signed"
	"peerd.dev/node/store"
)

const (
	path        = "/v1/receipts"
	askedEvery  = 10 * time.Second // at most, that neighbours are asked for receipts through the API
	askedWithin = 3 * time.Second
)

func init() {
	daemon.Additions = append(daemon.Additions, add)
	daemon.ReceiptLines = lines
}

// add adds receipts to a peer.
func add(host func() *gossip.Host, log *slog.Logger) daemon.Addition {
	k := receipts.New(time.Now)
	keep := func(r receipts.Receipt) {
		switch why, err := k.Add(r); {
		case err != nil:
			log.Error("store", "err", err)
		case why != "":
			log.Debug("a receipt is not kept", "witness", r.Witness, "of", r.Checkpoint, "reason", why)
		}
	}
	var newest atomic.Pointer[witness]
	var asked atomic.Int64 // Unix time in ns when the API had neighbours asked
	return daemon.Addition{
		Keeper: k,
		Service: func(c *gossip.Config) gossip.Service {
			w := &witness{c, keep}
			newest.Store(w)
			return w.service()
		},
		Views: []api.View{{Path: path, Local: true, Get: func(ctx context.Context) (any, error) {
			last := asked.Load()
			if h, w := host(), newest.Load(); h != nil && w != nil && time.Since(time.Unix(0, last)) >= askedEvery && asked.CompareAndSwap(last, time.Now().UnixNano()) {
				within, cancel := context.WithTimeout(ctx, askedWithin)
				defer cancel()
				up, _ := h.Linked()
				w.ask(within, h, up)
			}
			of, err := k.All() // none in lockstep
			if err != nil {
				return nil, err
			}
			var known map[string]signed.Known
			err = k.Read(func(st *store.Store) (err error) {
				known, err = signed.Checkpoints(st)
				return err
			})
			return show(of, known), err
		}}},
	}
}

// show returns the document: what neighbours have signed about this peer's ledger, and what other peers have signed about theirs.
func show(of []receipts.Receipt, known map[string]signed.Known) document {
	d := document{Receipts: []statement{}, Checkpoints: []statement{}}
	for _, r := range of {
		x := state("receipt", r.Checkpoint, r.Signature)
		x.Witness, x.Time = r.Witness, time.Unix(r.Time, 0).UTC()
		d.Receipts = append(d.Receipts, x)
	}
	for _, c := range known {
		if x := state("checkpoint", c.Checkpoint, c.Signature); c.Key != "" {
			x.Peer = c.Key
			d.Checkpoints = append(d.Checkpoints, x)
		}
	}
	slices.SortFunc(d.Checkpoints, func(a, b statement) int { return cmp.Compare(a.Peer, b.Peer) })
	return d
}

// lines implements [daemon.ReceiptLines]. A running peer asks its neighbours first; of a stopped one it reads the store.
func lines(ctx context.Context, dir string) (lines [][]byte, err error) {
	var d document
	st, done, err := ask.Stopped(dir)
	switch {
	case err != nil:
		return nil, err
	case st == nil:
		err = api.Get(ctx, dir, path, &d)
	default:
		of, failed := receipts.In(st)
		known, wrong := signed.Checkpoints(st)
		d, err = show(of, known), errors.Join(failed, wrong, done())
	}
	for _, x := range slices.Concat(d.Receipts, d.Checkpoints) {
		b, _ := json.Marshal(x) // it has no value without a form in JSON
		lines = append(lines, b)
	}
	return lines, err
}
