// Package ask has what commands ask of a peer's folder: over its socket if the peer runs, of its store if not.
package ask

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// Arms asks the running peer of a folder what it knows of its actions.
func Arms(ctx context.Context, dir string) (arms []api.Arm, err error) {
	return arms, api.Get(ctx, dir, "/v1/arms", &arms)
}

// Peers asks the running peer of a folder for the other peers and its links to them.
func Peers(ctx context.Context, dir string) (ps []api.Peer, err error) {
	return ps, api.Get(ctx, dir, "/v1/peers", &ps)
}

// Inside asks the running peer of a folder for what only the people of the site may see; nil if it gives all decisions, and in lockstep.
func Inside(ctx context.Context, dir string) (d *api.Inside, err error) {
	if err = api.Get(ctx, dir, "/v1/inside", &d); err != nil {
		if p := new(api.Problem); errors.As(err, &p) && (p.Status == http.StatusNotFound || p.Status == http.StatusForbidden) {
			err = nil
		}
		return nil, err
	}
	return d, nil
}

// LedgerLines returns the lines of the ledger of the peer in dir, without newlines, each valid
// until the next, and a function to call after reading them. It asks a running peer, and opens
// the store of a stopped one. Only that has openings.
func LedgerLines(ctx context.Context, dir string, openings bool) (iter.Seq2[[]byte, error], func() error, error) {
	st, done, err := Stopped(dir)
	switch {
	case st == nil && err == nil && openings:
		return nil, nil, config.Failf(config.ErrUsage, "the peer in %s runs, and shows openings to no one: stop it first", dir)
	case st == nil:
		return askedLines(ctx, dir), func() error { return nil }, err
	case openings:
		return site.Opened(st), done, nil
	}
	return site.Records(st, 0, math.MaxUint64), done, nil
}

// Stopped opens the store of a stopped peer for reading, and returns a function that closes it. It returns nil for a running peer.
func Stopped(dir string) (*store.Store, func() error, error) {
	unlock, err := daemon.LockDir(dir)
	if errors.Is(err, daemon.ErrInUse) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	st, err := daemon.ReadStore(dir)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return st, func() error { defer unlock(); return st.Close() }, nil
}

// askedLines asks a running peer for its ledger, page by page.
func askedLines(ctx context.Context, dir string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for from, more := uint64(0), true; more; {
			more = false
			for line, err := range api.Lines(ctx, dir, fmt.Sprintf("/v1/ledger?from=%d", from)) {
				if !yield(line, err) || err != nil {
					return
				}
				r, err := ledger.ParseLine(line)
				if err != nil {
					yield(nil, err)
					return
				}
				from, more = r.Seq+1, true
			}
		}
	}
}
