package main

import (
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/internal/version"
)

func newVersion(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print what this binary was built from",
		Long: `Print the version, the commit and the Go release that this binary was built from,
as the Go tool recorded them. No configuration is read.`,
		Example: `  peerd version
  peerd version --json`,
		Args: cobra.NoArgs,
		RunE: o.run(func(context.Context) error {
			doc := version.Read()
			return o.print(doc, doc.Write)
		}),
	}
}
