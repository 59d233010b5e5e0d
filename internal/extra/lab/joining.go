package lab

import (
	"io"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/lab/joining"
	"peerd.dev/internal/terminal"
)

func newJoining(o *command.App) *cobra.Command {
	var q joining.Document
	var seconds float64
	cmd := &cobra.Command{
		Use:   "joining",
		Short: "Estimate by simulation whether joining pays a site",
		Long: `Simulate sites with your numbers, alone and together in the same worlds, and print how many rewards
a site loses in its first decisions next to always taking its best action. Together, a rule says
which few decisions sites give; their rewards leave with noise. Without --best, what actions pay is
drawn evenly from 0 to 1 for each network. It plays 8 networks, then twice as many again and again
while --seconds last; Ctrl-C prints what is known. No file is read.`,
		Example: `  peerd joining --sites 20 --actions 10 --decisions 1000 --epsilon 1
  peerd joining --sites 8 --best 0.7 --others 0.3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			progress := io.Discard
			if terminal.IsTerminal(o.Stderr) {
				progress = o.Stderr
			}
			if err := q.Play(cmd.Context(), seconds, progress); err != nil {
				return err
			}
			if err := o.Print(&q, q.Write); err != nil || !q.Interrupted {
				return err
			}
			return &command.ShownError{Code: command.ExitInterrupted}
		},
	}
	cmd.Flags().IntVar(&q.Sites, "sites", 10, "sites in the network, with yours")
	cmd.Flags().IntVar(&q.Actions, "actions", 5, "actions between which a site chooses")
	cmd.Flags().Uint64Var(&q.Decisions, "decisions", 1000, "decisions of a site that count")
	cmd.Flags().Float64Var(&q.Epsilon, "epsilon", 1, "privacy budget of one user")
	cmd.Flags().Float64Var(&q.Differ, "differ", .1, "how much an action's mean reward differs between sites: a standard deviation")
	cmd.Flags().Float64Var(&q.Best, "best", 0, "mean reward of one action at all sites, in place of --differ; give --others, too")
	cmd.Flags().Float64Var(&q.Others, "others", 0, "mean reward of all other actions")
	cmd.Flags().Uint64Var(&q.Late, "late", 1000, "decisions of the others before a late site comes")
	cmd.Flags().Float64Var(&seconds, "seconds", 10, "how long to play networks")
	cmd.MarkFlagsMutuallyExclusive("differ", "best")
	return cmd
}
