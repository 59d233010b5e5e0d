// Package receipts is the extra by which neighbours sign what they remember of each other's ledgers, for auditors.
package receipts

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"peerd.dev/gossip"
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

// A keeper has a site's receipts, and its store.
type keeper struct {
	*receipts.Kept
	store *store.Store // nil in lockstep, where there are none
}

// Open implements [site.Keeper].
func (k *keeper) Open(st *store.Store) error {
	k.store = st
	return k.Kept.Open(st)
}

// add adds receipts to a peer.
func add(host func() *gossip.Host, log *slog.Logger) daemon.Addition {
	k := &keeper{Kept: receipts.New(time.Now)}
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
			if k.store == nil {
				return show(nil, nil), nil
			}
			last := asked.Load()
			if h, w := host(), newest.Load(); h != nil && w != nil && time.Since(time.Unix(0, last)) >= askedEvery && asked.CompareAndSwap(last, time.Now().UnixNano()) {
				within, cancel := context.WithTimeout(ctx, askedWithin)
				defer cancel()
				up, _ := h.Linked()
				w.ask(within, h, up)
			}
			of, err := k.All()
			if err != nil {
				return nil, err
			}
			known, err := signed.Checkpoints(k.store)
			return show(of, known), err
		}}},
	}
}

// show returns the document: what neighbours have signed about this peer's ledger, and what other peers have signed about theirs.
func show(of []receipts.Receipt, known map[string]signed.Known) document {
	d := document{Receipts: []receipt{}, Checkpoints: []checkpoint{}}
	for _, r := range of {
		d.Receipts = append(d.Receipts, receipt{
			Kind: "receipt", Witness: r.Witness, Records: r.Records, Head: hex.EncodeToString(r.Head[:]),
			Time: time.Unix(r.Time, 0).UTC(), Signature: hex.EncodeToString(r.Signature[:]),
		})
	}
	for _, c := range known {
		if c.Key != "" {
			d.Checkpoints = append(d.Checkpoints, checkpoint{
				Kind: "checkpoint", Peer: c.Key, Records: c.Records, Head: hex.EncodeToString(c.Head[:]), Signature: hex.EncodeToString(c.Signature[:]),
			})
		}
	}
	slices.SortFunc(d.Checkpoints, func(a, b checkpoint) int { return cmp.Compare(a.Peer, b.Peer) })
	return d
}

// lines implements [daemon.ReceiptLines]. A running peer asks its neighbours first; of a stopped one it reads the store.
func lines(ctx context.Context, dir string) (lines [][]byte, err error) {
	var d document
	st, done, err := daemon.Stopped(dir)
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
