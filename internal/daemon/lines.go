package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/node/api"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

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
	unlock, err := LockDir(dir)
	if errors.Is(err, ErrInUse) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	st, err := ReadStore(dir)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return st, func() error { defer unlock(); return st.Close() }, nil
}

// ReadStore opens the store of a folder for reading.
func ReadStore(dir string) (st *store.Store, err error) {
	if st, err = store.Open(filepath.Join(dir, StoreDir), store.Options{ReadOnly: true}); err == nil {
		if err = site.CheckNewer(st); err != nil {
			err = errors.Join(err, st.Close())
		}
	}
	if errors.Is(err, fs.ErrNotExist) && !damaged(err) {
		err = config.Failf(config.ErrUnexpected, "dir %s holds no ledger or decisions: the peer was never started with mode: live", dir)
	}
	return st, withWayOut(dir, err)
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
