package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/cmd/peerd/internal/daemon"
	"peerd.dev/cmd/peerd/internal/terminal"
	"peerd.dev/gossip"
	"peerd.dev/node/api"
)

func newStatus(o *options) *cobra.Command {
	return o.takesFile(&cobra.Command{
		Use:   "status",
		Short: "Show the state of the running peer of a folder",
		Long: `Show the state of the running peer of a folder: rounds, budget, releases, traffic and
estimates, and why it is blocked if it is. The peer has to run; it is asked through the
socket in its folder.`,
		Example: "  peerd status --dir hospital-a\n  peerd status --dir hospital-a --json | jq .epsilon_left",
		RunE: o.run(func(ctx context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			d, err := daemon.AskStatus(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			return o.print(d, func(w io.Writer) { writeStatus(w, d, c.Arms) })
		}),
	})
}

func writeStatus(w io.Writer, d api.Status, arms []string) {
	ready := "all neighbours linked"
	if !d.LinksUp {
		ready = "waiting for neighbours; see `peerd peers`"
	}
	_, _ = fmt.Fprintf(w, "%s  %s  network %s: %s\n", d.Name, d.ID, d.Network, ready)
	_, _ = fmt.Fprintf(w, "round %d of %d, %d rounds skipped\n", d.Round, d.Rounds, d.Skipped)
	_, _ = fmt.Fprintf(w, "privacy: ε %.4g charged, %.4g left; %d releases drawn\n", d.Spent, d.Left, d.Released)
	_, _ = fmt.Fprintf(w, "ledger: %d records; `peerd ledger show`\n", d.LedgerRecords)
	if d.BlockedReason != "" {
		_, _ = fmt.Fprintf(w, "BLOCKED: %s\n", d.BlockedReason)
	}
	if d.AloneReason != "" {
		_, _ = fmt.Fprintf(w, "ALONE: %s\n", d.AloneReason)
	}
	if d.DiskFull {
		_, _ = fmt.Fprintln(w, "DISK FULL: nothing is accepted until there is room")
	}
	if d.Clones > 0 {
		_, _ = fmt.Fprintf(w, "ALARM: another process used this peer's key %d times\n", d.Clones)
	}
	_, _ = fmt.Fprintf(w, "traffic: %s in, %s out, %d messages dropped, %d refused\n\n", terminal.Bytes(d.BytesIn), terminal.Bytes(d.BytesOut), d.Dropped, d.Refused)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "ARM\tPULLS\tESTIMATE")
	for k, mean := range d.Means {
		name, pulls := fmt.Sprint(k), "hidden"
		if k < len(d.Pulls) {
			pulls = fmt.Sprint(d.Pulls[k])
		}
		if k < len(arms) {
			name = arms[k]
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%.4f\n", name, pulls, mean)
	}
	_ = t.Flush()
}

func newPeers(o *options) *cobra.Command {
	return o.takesFile(&cobra.Command{
		Use:   "peers",
		Short: "Show the other peers of the network and the links to them",
		Long: `Show the other peers of the network, the state of the links to them, and what was
received from them. The peer has to run; it is asked through the socket in its folder.`,
		Example: "  peerd peers --dir hospital-a",
		RunE: o.run(func(ctx context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			ds, err := daemon.AskPeers(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			return o.print(ds, func(w io.Writer) { writePeers(w, ds) })
		}),
	})
}

func writePeers(w io.Writer, ds []api.Peer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "PEER\tLINK\tRTT\tIN\tOUT\tDROPPED\tREFUSED\tLAST SEEN\tNOTE")
	for _, d := range ds {
		link := d.State
		if !d.Neighbour {
			link = "-"
		}
		seen := "never"
		if !d.LastSeen.IsZero() {
			seen = time.Since(d.LastSeen).Round(100*time.Millisecond).String() + " ago"
		}
		note := d.LastError
		if d.State == string(gossip.Up) {
			note = ""
		}
		if d.Alarm != "" {
			note = "ALARM: " + d.Alarm
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", d.Name, link, d.RTT,
			terminal.Bytes(d.BytesIn), terminal.Bytes(d.BytesOut), d.Dropped, d.Refused, seen, strings.TrimSpace(note))
	}
	_ = t.Flush()
}
