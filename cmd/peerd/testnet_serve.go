package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"
)

// apiPort is where the first peer of a testnet for an application answers; the
// others follow it.
const apiPort = 8470

// serve runs a network for an application until it is interrupted.
func (t *testnet) serve(ctx context.Context, w io.Writer) error {
	t.announce(w)
	if err := t.lay(); err != nil {
		return err
	}
	if err := t.start(); err != nil {
		return err
	}
	if err := t.waitReady(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(w, "ready; every peer answers `POST /v1/decisions` and `POST /v1/rewards` (docs/api.md):")
	for i, name := range t.names {
		_, _ = fmt.Fprintf(w, "  %s  http://127.0.0.1:%d  token in %s\n", name, apiPort+i, filepath.Join(t.dir, name, "api.token"))
	}
	_, _ = fmt.Fprintln(w, "interrupt to end")
	table := newLiveTable(w)
	for {
		all := make([]statusDocument, len(t.procs))
		for i, p := range t.procs {
			if err := p.exited(); err != nil {
				return err
			}
			var err error
			if all[i], err = p.status(ctx); err != nil && ctx.Err() == nil {
				return failf(exitNetwork, "%s: %w", t.names[i], err)
			}
		}
		if ctx.Err() == nil {
			table.show(false, func(w io.Writer, wide bool) { t.writeServed(w, all, wide) })
		}
		select {
		case <-ctx.Done():
			return nil // that is how it ends
		case <-time.After(table.every()):
		}
	}
}

// writeServed writes what the peers of an application have learnt.
func (t *testnet) writeServed(w io.Writer, all []statusDocument, wide bool) {
	if !wide {
		var pulls, released uint64
		for _, d := range all {
			released += d.Released
			for _, n := range d.Pulls {
				pulls += n
			}
		}
		_, _ = fmt.Fprintf(w, "round %d  %d decisions  %d releases\n", all[0].Round, pulls, released)
		return
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(tw, "SITE\tROUND\tPENDING\tRELEASES\tε LEFT")
	for _, a := range t.s.Arms {
		_, _ = fmt.Fprintf(tw, "\t%s", a)
	}
	_, _ = fmt.Fprintln(tw)
	for i, d := range all {
		_, _ = fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%.4g", t.names[i], d.Round, d.Pending, d.Released, d.Left)
		for k := range d.Pulls {
			_, _ = fmt.Fprintf(tw, "\t%d × %.3f", d.Pulls[k], d.Means[k])
		}
		_, _ = fmt.Fprintln(tw)
	}
	_ = tw.Flush()
}
