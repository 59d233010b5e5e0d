package main

import (
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/lab/gain"
)

func newGain(o *options) *cobra.Command {
	return o.takesFile(&cobra.Command{
		Use:   "gain",
		Short: "Estimate what a site's own users have gained by joining",
		Long: `Estimate what a site's own users have gained by joining. The means of the actions are
drawn 100 times around the estimates of the running peer, as far off as the rewards behind
them and their noise allow. Each draw says what the site has lost so far, and is played
by a simulated site without neighbours that has the same settings, with rewards of 0 and 1,
one a round. The ranges have 95 % of the draws.

It takes seconds and sends nothing. The peer has to run, with a protocol that keeps sites
apart (phases, rows) and actions without features.`,
		Example: "  peerd gain --dir hospital-a\n  peerd gain --dir hospital-a --json | jq .saved",
		RunE: o.run(func(ctx context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			arms, err := daemon.AskArms(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			g, err := gain.Estimate(ctx, &c.Settings, arms)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			return o.print(g, g.Write)
		}),
	})
}
