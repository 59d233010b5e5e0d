// Package status is the extra that shows the state of a running peer, and the links to its neighbours.
package status

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/ask"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
)

func init() {
	command.Register("", newStatus)
	command.Register("", newPeers)
}

func newStatus(o *command.App) *cobra.Command {
	return o.TakesFile(&cobra.Command{
		Use:   "status",
		Short: "Show the state of the running peer of a folder",
		Long: `Show the state of the running peer of a folder: rounds, budget, releases, traffic and
estimates, and why it is blocked if it is. Where the site keeps decisions (privacy.answers: inside),
a line has exact means of its own rewards, which are for its own people. The peer has to run; it is
asked through the socket in its folder.`,
		Example: "  peerd status --dir hospital-a\n  peerd status --dir hospital-a --json | jq .epsilon_left",
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			d, err := daemon.AskStatus(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			arms, err := ask.Arms(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			inside, err := ask.Inside(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			return o.Print(d, func(w io.Writer) {
				if Status(w, d, arms); inside != nil {
					Inside(w, inside)
				}
			})
		}),
	})
}

func newPeers(o *command.App) *cobra.Command {
	return o.TakesFile(&cobra.Command{
		Use:   "peers",
		Short: "Show the peers of the network, the links to them and what they have given",
		Long: `Show the peers of the network, the links to the others and what was received from them, and how many
rewards each has released. The peer has to run; it is asked through the socket in its folder.`,
		Example: "  peerd peers --dir hospital-a",
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			ds, err := ask.Peers(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			if d, err := daemon.AskStatus(ctx, c.Dir); err == nil {
				ds = slices.Insert(ds, min(int(d.Peer), len(ds)), api.Peer{Peer: d.Peer, Name: d.Name, ID: d.ID, State: "self", LastSeen: time.Now(), Records: d.LedgerRecords, Given: d.Given, Gives: d.Gives})
			}
			return o.Print(ds, func(w io.Writer) { Peers(w, ds) })
		}),
	})
}
