package main

import (
	"github.com/spf13/cobra"

	"peerd.dev/internal/lab/experiment"
)

func newExperiment(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Simulate networks over many seeds",
		Long: `Simulate networks over many seeds and compare the cells of an experiment.
Figures of papers are known by name: 'peerd experiment list' has them. docs/lab/experiments.md explains
the settings and the results.`,
		Args: cobra.NoArgs,
		RunE: help,
	}
	cmd.AddCommand(newExperimentList(o), newExperimentRun(o), newExperimentReport(o), newExperimentClaims(o), newMerge(o))
	return cmd
}

// showExperiment prints the results of an experiment.
func (o *options) showExperiment(doc *experiment.Document) error { return o.print(doc, doc.Write) }
