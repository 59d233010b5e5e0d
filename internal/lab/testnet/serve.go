package testnet

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/ports"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/api"
)

// apiPort is the API port of the first peer of a testnet for an application. The other peers have
// the ports after it. If one of them is in use, all peers have free ports instead.
const apiPort = 8470

// apiAddresses returns where n peers can answer.
func apiAddresses(n int) ([]string, error) {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("127.0.0.1:%d", apiPort+i)
		l, err := net.Listen("tcp4", all[i])
		if err == nil {
			_ = l.Close()
			continue
		}
		free, err := ports.Free(n)
		for i, p := range free {
			all[i] = fmt.Sprintf("127.0.0.1:%d", p)
		}
		return all, err
	}
	return all, nil
}

// serve runs a network for an application until it is interrupted.
func (t *Net) serve(ctx context.Context, o *Options) error {
	w := o.Progress
	t.announce(w)
	if err := t.up(); err != nil {
		return err
	}
	if err := t.WaitReady(ctx); err != nil {
		return err
	}
	t.announceAPIs(w)
	board, end, err := t.openBoard(ctx, o.Open)
	if err != nil {
		return err
	}
	defer end()
	table := newLiveTable(w)
	err = t.poll(ctx, table.every(), func(all []api.Status, silent error) (bool, error) {
		if silent != nil {
			return false, config.Failf(config.ErrNetwork, "%w", silent)
		}
		table.show(false, func(w io.Writer, wide bool) { t.writeServed(w, all, wide) })
		board.show(all, nil)
		return false, nil
	})
	if ctx.Err() != nil {
		return nil // that is how it ends
	}
	return err
}

// announceAPIs writes where the peers that have arms answer.
func (t *Net) announceAPIs(w io.Writer) {
	_, _ = fmt.Fprintln(w, "ready; every peer answers `POST /v1/decisions` and `POST /v1/rewards` (docs/api.md):")
	first := -1
	for i, name := range t.Names {
		if !t.learns(i) {
			continue
		}
		if first < 0 {
			first = i
		}
		_, _ = fmt.Fprintf(w, "  %s  http://%s  token in %s\n", name, t.apis[i], t.token(i))
	}
	_, _ = fmt.Fprintf(w, "for the clients in docs/examples, in another terminal:\n  export PEERD_URL=http://%s PEERD_TOKEN_FILE=%s\n", t.apis[first], t.token(first))
	_, _ = fmt.Fprintln(w, "interrupt to end")
}

// token returns the file that holds the token of a peer's API.
func (t *Net) token(i int) string { return filepath.Join(t.Dir, t.Names[i], api.TokenFile) }

// writeServed writes what the peers of an application have learnt.
func (t *Net) writeServed(w io.Writer, all []api.Status, wide bool) {
	if !wide {
		var pulls, released uint64
		decisions := "–" // not shown by the peers
		for _, d := range all {
			released += d.Released
			for _, n := range d.Pulls {
				pulls += n
				decisions = fmt.Sprint(pulls)
			}
		}
		_, _ = fmt.Fprintf(w, "round %d  %s decisions  %d releases\n", all[0].Round, decisions, released)
		return
	}
	tw := columns.New(w)
	tw.Printf("SITE\tROUND\tPENDING\tRELEASES\tε LEFT")
	for _, a := range t.Settings.Arms {
		tw.Printf("\t%s", a)
	}
	tw.Printf("\n")
	for i, d := range all {
		tw.Printf("%s\t%d\t%d\t%d\t%.4g", t.Names[i], d.Round, d.Pending, d.Released, d.Left)
		for k := range d.Means {
			if len(d.Pulls) != len(d.Means) { // by features
				break
			}
			tw.Printf("\t%d × %.3f", d.Pulls[k], d.Means[k])
		}
		tw.Printf("\n")
	}
	tw.End()
}
