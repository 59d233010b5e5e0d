package lab

import (
	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/lab/experiment"
)

func newExperimentCompare(o *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two folders of results, cell by cell and seed by seed",
		Long: `Compare two folders of results: cells of one name, and their runs by seed. Printed are the ratio of
final regrets with its interval, whether rows are the same byte for byte, and the settings that differ.
DIR:CELL names one cell, also of the same folder twice.`,
		Example: `  peerd experiment compare runs/before runs/after
  peerd experiment compare 'runs/baselines:rows, ε = 1' 'runs/baselines:phases, ε = 1'`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := experiment.Compare(args[0], args[1])
			if err != nil {
				return err
			}
			return o.Print(c, c.Write)
		},
	}
}
