package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/lab/experiment"
)

func newExperiment(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Simulate networks over many seeds",
		Long: `Simulate networks over many seeds and compare the cells of an experiment.
docs/lab/experiments.md explains the settings and the results.`,
		Args: cobra.NoArgs,
		RunE: help,
	}
	var out string
	run := &cobra.Command{
		Use:   "run",
		Short: "Play a configuration's cells in the simulator, once for each seed",
		Long: `Play the cells of a configuration (experiment.cells) in the simulator, each once for
every seed, with one run at a time on each processor. The peers run the daemon's code,
and do what processes in lockstep would do. The same seed gives the same result. Noise
comes from the seeds, so simulated runs protect no one. No process is started and no
network is used.

The folder of results holds config.yaml (all settings, resolved), manifest.json (each
cell's settings, seeds, version, machine, wall time), rows.jsonl and rows.parquet (regret by
cell, seed and round), summary.json, figure.svg and figure.png. To resume
an interrupted experiment, repeat the command with the same -o: finished runs are not
played again, and with more seeds only the new ones are played.`,
		Example: `  peerd experiment run configs/figures/fig2a.yaml -o runs/fig2a
  peerd experiment run configs/rows.yaml --set experiment.faults.loss=0.3 --set experiment.seeds=50
  peerd experiment run configs/rows.yaml --set 'experiment.cells=[{set: {privacy.epsilon: [1, 2, 5]}}]'`,
		RunE: o.run(func(ctx context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("runs", time.Now().Format("2006-01-02-150405-")+experiment.Title(c))
			}
			return experiment.Run(ctx, c, experiment.Options{
				Out: out, Progress: o.stderr, Show: func(doc *experiment.Document) error {
					return o.print(doc, doc.Write)
				},
			})
		}),
	}
	run.Flags().StringVarP(&out, "out", "o", "", "folder for the results (default runs/<time>-<name>)")
	cmd.AddCommand(o.takesFile(run), newExperimentExport(o))
	return cmd
}
