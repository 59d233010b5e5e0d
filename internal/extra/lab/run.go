package lab

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/catalog"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/testnet"
)

func newExperimentRun(o *command.App) *cobra.Command {
	var (
		out, shard, engine string
		quick              bool
		how                experiment.Options
		engines            = map[string]experiment.Engine{"sim": nil, "processes": testnet.Processes{}}
	)
	run := &cobra.Command{
		Use:   "run [NAME|FILE...]",
		Short: "Play the cells of figures or configurations in the simulator, once for each seed",
		Long: `Play the cells of a configuration (experiment.cells) in the simulator, each once for
every seed, with one run at a time on each processor. The peers run the daemon's code,
and do what processes in lockstep would do. The same seed gives the same result. Noise
comes from the seeds, so simulated runs protect no one. With --engine processes, daemons
on this machine play in place of the simulator.

A NAME is a figure of 'peerd experiment list'; 'all' stands for every one, and skips those whose data
are missing. --quick plays a smaller form, with ten seeds or more, whose title says so. A FILE has .yaml or a slash in its name.

The folder of results holds config.yaml (all settings, resolved), manifest.json (each
cell's settings, seeds, version, machine, wall time), rows.jsonl and rows.parquet (regret by
cell, seed and round), summary.json, figure.svg and figure.png. Several experiments have a
folder each below -o. To resume an interrupted experiment, repeat the command with the
same -o: finished runs are not played again, and with more seeds only the new ones are played.

With --shard i/n it plays a fixed share of the runs and keeps them; any n shards have every
run once, and peerd experiment merge makes the rows of one experiment of them.`,
		Example: `  peerd experiment run baselines --quick
  peerd experiment run all --quick -o runs/quick
  peerd experiment run fig2a fig2b --set experiment.seeds=20
  peerd experiment run configs/rows.yaml --set experiment.faults.loss=0.3 --set experiment.seeds=50
  peerd experiment run configs/rows.yaml --set 'experiment.cells=[{set: {privacy.epsilon: [1, 2, 5]}}]'
  peerd experiment run fig2a --shard 3/8 --jobs 4 -o shards/3
  peerd experiment run fig2a --engine processes --set experiment.seeds=2`,
		RunE: func(cmd *cobra.Command, words []string) error {
			parts, err := experiments(o, words, quick)
			if err != nil {
				return err
			}
			var ok bool
			if how.Engine, ok = engines[engine]; !ok {
				return config.Failf(config.ErrUsage, "--engine: %s: want sim or processes", engine)
			}
			how.Progress, how.Show = o.Stderr, showIn(o)
			if len(parts) > 1 {
				if shard != "" {
					return config.Failf(config.ErrUsage, "--shard %s: %d experiments; want one", shard, len(parts))
				}
				return runEach(o, cmd.Context(), parts, how, cmp.Or(out, resultsOf("", words, quick)))
			}
			how.Out = cmp.Or(out, resultsOf(parts[0].Name, words, quick))
			if shard == "" {
				return experiment.Run(cmd.Context(), parts[0].Config, how)
			}
			part, err := experiment.ParseShard(shard)
			if err != nil {
				return err
			}
			doc, err := experiment.RunShard(cmd.Context(), parts[0].Config, how, part)
			if err != nil {
				return err
			}
			return o.Print(doc, doc.Write)
		},
	}
	run.Flags().StringVarP(&out, "out", "o", "", "folder for the results (default runs/NAME, with --quick runs/quick/NAME, and runs/<time>-<name> for a file)")
	run.Flags().BoolVar(&quick, "quick", false, "play the quick form of figures: fewer rounds, and ten seeds or more")
	run.Flags().IntVarP(&how.Jobs, "jobs", "j", 0, "runs at a time (default as many as processors)")
	run.Flags().StringVar(&shard, "shard", "", "i/n, such as 3/8: play a fixed share of the runs, for peerd experiment merge")
	run.Flags().StringVar(&engine, "engine", "sim", "what plays the peers: sim, or processes in lockstep on this machine, with the same rows")
	return run
}

// runEach plays several experiments.
func runEach(o *command.App, ctx context.Context, parts []catalog.Part, how experiment.Options, out string) error {
	batch, err := catalog.PlayEach(ctx, o.Stderr, out, parts, func(p *catalog.Part, done *catalog.BatchPart) error {
		how.Out, how.Show = done.Out, func(doc *experiment.Document) error {
			done.Cells, done.Seeds, done.Seconds = len(doc.Cells), doc.Seeds, doc.Seconds
			return nil
		}
		return experiment.Run(ctx, p.Config, how)
	})
	if batch == nil {
		return err
	}
	return errors.Join(o.Print(batch, batch.Write), err)
}

// experiments returns what words of a command line name, or without words the configuration that flags select.
func experiments(o *command.App, words []string, quick bool) ([]catalog.Part, error) {
	if len(words) > 0 && o.Config != "" && (len(words) > 1 || filepath.Clean(o.Config) != filepath.Clean(words[0])) {
		return nil, config.Failf(config.ErrUsage, "two configurations, %s and %s; want one", o.Config, words[0])
	}
	_, set, err := o.Sources()
	if err != nil {
		return nil, err
	}
	if len(words) > 0 {
		return catalog.Choose(words, quick, set)
	}
	if quick {
		return nil, config.Failf(config.ErrUsage, "--quick is of figures: name one, see `peerd experiment list`")
	}
	c, err := o.Load()
	if err != nil {
		return nil, err
	}
	return []catalog.Part{{Name: experiment.Title(c), Config: c}}, nil
}

// resultsOf returns the folder for the results of one experiment: of a figure the same every time, so that one that was
// interrupted goes on.
func resultsOf(name string, words []string, quick bool) string {
	switch {
	case quick:
		return filepath.Join("runs", "quick", name)
	case len(words) == 1 && catalog.IsName(words[0]) || len(words) > 1:
		return filepath.Join("runs", name)
	}
	return filepath.Join("runs", time.Now().Format("2006-01-02-150405-")+name)
}
