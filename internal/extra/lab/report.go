package lab

import (
	"cmp"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/lab/experiment"
)

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
