package lab

import (
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/lab/catalog"
)

func newExperimentList(o *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the figures that can be played by name",
		Long: `List the figures of the papers and of docs/: what each shows, the seconds of its quick form and the
minutes of the whole on two cores, and the data that it needs. Papers have the numbers of docs/lab/papers.md.`,
		Example: `  peerd experiment list
  peerd experiment run fig2a --quick`,
		Args: cobra.NoArgs,
		RunE: command.Run(func(context.Context) error {
			l := catalog.NewList()
			return o.Print(l, l.Write)
		}),
	}
}
