package gain

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"peerd.dev/internal/ask"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
)

func init() {
	daemon.NewGain = func() daemon.Gain { return new(gains) }
	command.Register("", newGain)
}

func newGain(o *command.App) *cobra.Command {
	return o.TakesFile(&cobra.Command{
		Use:   "gain",
		Short: "Show what a site's own users have gained by joining",
		Long: `Show what a site's own users have gained by joining, as the running peer estimates it now
and then. The means of the actions are drawn 100 times around its estimates, as far off as
the rewards behind them and their noise allow. Each draw says what the site has lost so far,
and is played by the same site alone, simulated: nothing leaves it, it has no noise, and it
waits for its rewards as this one did. The ranges have 95 % of the draws. With privacy.answers: inside
the site's own rewards are exact, so what is printed is for its own people.

Before rewards of this site and of another one are known there is nothing to compare, and
a sentence says so. The peer has to run, in mode live, with a protocol that keeps sites apart
(phases, rows) and actions without features.`,
		Example: "  peerd gain --dir hospital-a\n  peerd gain --dir hospital-a --json | jq .saved",
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			d, err := daemon.AskStatus(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			inside, err := ask.Inside(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			if inside != nil {
				d.Gain = inside.Gain
			}
			if d.Gain == nil {
				return config.Failf(config.ErrRefused, "this peer makes no decisions for users of its own, or runs in lockstep: it gains nothing that could be stated")
			}
			return o.Print(d.Gain, func(w io.Writer) { Print(w, d.Gain) })
		}),
	})
}
