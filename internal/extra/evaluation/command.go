package evaluation

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
)

func init() {
	command.Register("decisions", newCommand)
}

func newCommand(o *command.App) *cobra.Command {
	var policy string
	var since time.Duration
	cmd := &cobra.Command{
		Use:   "evaluate",
		Short: "Estimate what other policies would have paid",
		Long: `Estimate from the decisions of a peer, which may run, what other policies would have paid on
average: every action alone, all alike, a table of weights, and in shadow mode what the peer
proposed; and what ran did pay. IPS weights rewards by propensities, SNIPS divides by the sum of the
weights, and DR also predicts rewards from the actions' features, or from their means. Each has an
interval of 95 %. What the log does not allow is said, with the setting that would. The result is
RAW DATA of people: it has no noise, and no budget covers it.`,
		Example: `  peerd decisions evaluate --dir hospital-a
  peerd decisions evaluate --dir hospital-a --since 24h
  peerd decisions evaluate --dir hospital-a --policy table.json --json`,
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			r, err := evaluateDecisions(ctx, &c.Settings, policy, since)
			if err != nil {
				return err
			}
			return o.Print(r, r.Print)
		}),
	}
	cmd.Flags().StringVar(&policy, "policy", "", "file with a policy, in the form of GET /v1/table: weights by names of actions")
	cmd.Flags().DurationVar(&since, "since", 0, "leave out decisions that were made longer ago, such as 24h; 0 leaves out none")
	return o.TakesFile(cmd)
}
