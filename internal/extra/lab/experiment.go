package lab

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/catalog"
	"peerd.dev/internal/lab/experiment"
)

func newExperiment(o *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Simulate networks over many seeds",
		Long: `Simulate networks over many seeds and compare the cells of an experiment.
Figures of papers are known by name: 'peerd experiment list' has them. docs/lab/experiments.md explains
the settings and the results.`,
		Args: cobra.NoArgs,
		RunE: command.Help,
	}
	cmd.AddCommand(newExperimentList(o), newExperimentRun(o), newExperimentReport(o), newMerge(o))
	return cmd
}

// showIn returns what prints the results of an experiment.
func showIn(o *command.App) func(*experiment.Document) error {
	return func(doc *experiment.Document) error { return o.Print(doc, doc.Write) }
}

func newExperimentList(o *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the figures that can be played by name",
		Long: `List the figures of the papers and of docs/: what each shows, the seconds of its quick form and the
minutes of the whole on two cores, and the data that it needs. Papers have the numbers of docs/lab/papers.md.`,
		Example: `  peerd experiment list
  peerd experiment run fig2a --quick`,
		Args: cobra.NoArgs,
		RunE: command.Run(func(context.Context) error {
			l := catalog.NewList()
			return o.Print(l, l.Write)
		}),
	}
}

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

func newExperimentReport(o *command.App) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Print the table of a folder of results, and draw its figure again",
		Long: `Print the table of a folder of results and draw its figure again from the stored runs: nothing is
played, and another version may have played them. --set experiment.figure.… and experiment.cost.…
draw them in another way; other settings are refused, because they were played.`,
		Example: `  peerd experiment report runs/baselines
  peerd experiment report runs/baselines --set experiment.figure.log=both -o talk`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, set, err := o.Sources()
			if err != nil {
				return err
			}
			r, err := experiment.Read(args[0], set...)
			if err != nil {
				return err
			}
			if err := r.Draw(cmp.Or(out, args[0])); err != nil {
				return err
			}
			report := r.Report()
			return o.Print(report, report.Write)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder for figure.svg and figure.png (default DIR)")
	return cmd
}
