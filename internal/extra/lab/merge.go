package lab

import (
	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
)

func newMerge(o *command.App) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge DIR... -o OUT",
		Short: "Make one experiment of its shards",
		Long: `Take the finished runs from the folders of shards, which peerd experiment run --shard made,
and write the results as peerd experiment run does: rows.parquet is the same, byte for byte,
as if all runs had been played at once. The folders of shards stay as they are.

Runs are checked: a shard of another program, of other settings or of another number of
shards is refused, and so is a run of which two shards have different results. If runs are
missing, the error names the shard that lacks them.`,
		Example: `  for i in 1 2 3; do peerd experiment run configs/figures/fig2a.yaml --shard $i/3 -o shards/$i; done
  peerd experiment merge shards/1 shards/2 shards/3 -o runs/fig2a`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if out == "" {
				return config.Failf(config.ErrUsage, "want a folder for the results: -o FOLDER")
			}
			return experiment.Merge(cmd.Context(), dirs, experiment.Options{Out: out, Progress: o.Stderr, Show: showIn(o)})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder for the results")
	return cmd
}
