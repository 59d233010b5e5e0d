package lab

import (
	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
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
	cmd.AddCommand(newExperimentList(o), newExperimentRun(o), newExperimentReport(o), newExperimentCompare(o), newMerge(o))
	return cmd
}

// showIn returns what prints the results of an experiment.
func showIn(o *command.App) func(*experiment.Document) error {
	return func(doc *experiment.Document) error { return o.Print(doc, doc.Write) }
}
