package main

import (
	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/submit"
)

func newSubmit(o *options) *cobra.Command {
	var s submit.Options
	var quick bool
	cmd := &cobra.Command{
		Use:   "submit [NAME|FILE]",
		Short: "Play the shards of an experiment on Slurm or Kubernetes",
		Long: `Divide an experiment into shards and hand them to an engine of many machines.

With --to slurm, the folder of -o, which all machines share, gets a copy of this program, all
settings, and the scripts play.sh and merge.sh; sbatch submits an array with a task for each
shard, and a job that merges them into the folder results when all are finished. The same
command again says what is finished, in the queue, or failed, and submits what failed alone.

With --to kubernetes, the folder gets play.yaml, an Indexed Job that keeps the shards on a
volume and tries an index that fails again alone, and merge.yaml, for kubectl apply. The image
has peerd on its path, and a shell.`,
		Example: `  peerd experiment submit fig2a --to slurm --shards 8 --cpus 4 --time 2h --sbatch partition=long -o /shared/fig2a
  peerd experiment submit fig2a --to kubernetes --image example.org/peerd:1 --shards 8 -o fig2a
  peerd experiment submit fig2a --to slurm -o /shared/fig2a --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			parts, err := o.experiments(words, quick)
			if err != nil {
				return err
			}
			if len(parts) > 1 {
				return config.Failf(config.ErrUsage, "%d experiments; want one", len(parts))
			}
			s.Name, s.Stdout, s.Progress = parts[0].Name, o.stdout, o.stderr
			doc, err := submit.Submit(cmd.Context(), parts[0].Config, s)
			if err != nil || doc == nil {
				return err
			}
			return o.print(doc, doc.Write)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.To, "to", "", "slurm or kubernetes")
	f.StringVarP(&s.Out, "out", "o", "", "folder for scripts, shards and results")
	f.IntVar(&s.Shards, "shards", 8, "into how many shards the runs are divided")
	f.BoolVar(&s.DryRun, "dry-run", false, "print the scripts or manifests, and write and submit nothing")
	f.IntVar(&s.CPUs, "cpus", 1, "processors of a shard, and runs that it plays at a time")
	f.StringVar(&s.Memory, "memory", "", "memory of a shard, such as 4G (default the engine's)")
	f.DurationVar(&s.Time, "time", 0, "limit for a shard, such as 90m (default the engine's)")
	f.StringArrayVar(&s.Sbatch, "sbatch", nil, "Slurm: another option of sbatch, such as partition=long; may be repeated")
	f.StringVar(&s.Image, "image", "", "Kubernetes: an image with peerd and a shell")
	f.StringVar(&s.Claim, "claim", "", "Kubernetes: a volume claim for the results (default a new one of 1 GiB)")
	f.BoolVar(&quick, "quick", false, "the quick form of a figure")
	return cmd
}
