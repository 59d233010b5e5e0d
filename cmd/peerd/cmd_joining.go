package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/joining"
	"peerd.dev/internal/terminal"
)

func newJoining(o *options) *cobra.Command {
	var q joining.Document
	cmd := &cobra.Command{
		Use:   "joining",
		Short: "Estimate by simulation whether joining pays a site",
		Long: `Simulate sites with your numbers, alone and together in the same worlds, and print how many rewards
a site loses in its first decisions, with 95 % intervals. A site that joins gives few decisions,
whose rewards leave it with noise, and keeps all others; a rule says which, and may say that nothing
is to be given. A site alone sends nothing and has no noise.

Without --best and --others, what actions pay is drawn for each network. Networks are played until
--seconds are over, and 8 in any case; Ctrl-C prints what is known so far. No file is read.`,
		Example: `  peerd joining --sites 20 --actions 10 --decisions 1000 --epsilon 1
  peerd joining --sites 8 --best 0.7 --others 0.3
  peerd joining --sites 50 --differ 0 --alike --seconds 60`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.Best > 0 && cmd.Flags().Changed("differ") {
				return config.Failf(config.ErrUsage, "--differ: want it without --best, which is the same at all sites")
			}
			err := q.Play(cmd.Context(), func(networks int64) {
				if terminal.IsTerminal(o.stderr) {
					_, _ = fmt.Fprintf(o.stderr, "%d networks played\r", networks) // the table goes over it
				}
			})
			if err == nil {
				err = o.print(&q, q.Write)
			}
			if err == nil && q.Interrupted {
				err = &shownError{exitInterrupted}
			}
			return err
		},
	}
	cmd.Flags().IntVar(&q.Sites, "sites", 10, "sites in the network, with yours")
	cmd.Flags().IntVar(&q.Actions, "actions", 5, "actions between which a site chooses")
	cmd.Flags().Uint64Var(&q.Decisions, "decisions", 1000, "decisions of a site that count")
	cmd.Flags().Float64Var(&q.Epsilon, "epsilon", 1, "privacy budget of one user")
	cmd.Flags().Float64Var(&q.Differ, "differ", .1, "how much an action's mean reward differs between sites: a standard deviation")
	cmd.Flags().Float64Var(&q.Best, "best", 0, "mean reward of one action at all sites; give --others, too")
	cmd.Flags().Float64Var(&q.Others, "others", 0, "mean reward of all other actions")
	cmd.Flags().BoolVar(&q.Alike, "alike", false, "sites rely on being alike (learner.personalized.alike)")
	cmd.Flags().Uint64Var(&q.Late, "late", 1000, "decisions of the others before a late site comes")
	cmd.Flags().Float64Var(&q.Seconds, "seconds", 10, "how long to play networks")
	return cmd
}
