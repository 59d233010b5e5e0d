package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/testnet"
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
	var (
		out     string
		how     experiment.Options
		shard   string
		engine  string
		engines = map[string]experiment.Engine{"sim": nil, "processes": testnet.Processes{}}
	)
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
played again, and with more seeds only the new ones are played.

With --shard i/n it plays a fixed share of the runs and keeps them; any n shards have every
run once, and peerd experiment merge makes the rows of one experiment of them.`,
		Example: `  peerd experiment run configs/figures/fig2a.yaml -o runs/fig2a
  peerd experiment run configs/rows.yaml --set experiment.faults.loss=0.3 --set experiment.seeds=50
  peerd experiment run configs/rows.yaml --set 'experiment.cells=[{set: {privacy.epsilon: [1, 2, 5]}}]'
  peerd experiment run configs/figures/fig2a.yaml --shard 3/8 --jobs 4 -o shards/3
  peerd experiment run configs/figures/fig2a.yaml --engine processes --set experiment.seeds=2`,
		RunE: o.run(func(ctx context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("runs", time.Now().Format("2006-01-02-150405-")+experiment.Title(c))
			}
			var ok bool
			if how.Engine, ok = engines[engine]; !ok {
				return config.Failf(config.ErrUsage, "--engine: %s: want sim or processes", engine)
			}
			if how.Jobs < 0 {
				return config.Failf(config.ErrUsage, "--jobs: %d: want 1 or more, or 0 for as many as processors", how.Jobs)
			}
			how.Out, how.Progress, how.Show = out, o.stderr, o.showExperiment
			if shard == "" {
				return experiment.Run(ctx, c, how)
			}
			part, err := experiment.ParseShard(shard)
			if err != nil {
				return err
			}
			doc, err := experiment.RunShard(ctx, c, how, part)
			if err != nil {
				return err
			}
			return o.print(doc, doc.Write)
		}),
	}
	run.Flags().StringVarP(&out, "out", "o", "", "folder for the results (default runs/<time>-<name>)")
	run.Flags().IntVarP(&how.Jobs, "jobs", "j", 0, "runs at a time (default as many as processors)")
	run.Flags().StringVar(&shard, "shard", "", "i/n, such as 3/8: play a fixed share of the runs, for peerd experiment merge")
	run.Flags().StringVar(&engine, "engine", "sim", "what plays the peers: sim, or processes in lockstep on this machine, with the same rows")
	cmd.AddCommand(o.takesFile(run), newMerge(o), newSubmit(o))
	return cmd
}

// showExperiment prints the results of an experiment.
func (o *options) showExperiment(doc *experiment.Document) error { return o.print(doc, doc.Write) }
