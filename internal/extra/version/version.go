// Package version is the extra that says what the program was built from.
package version

import (
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/version"
	"peerd.dev/internal/version/bill"
)

func init() { command.Register("", newVersion) }

func newVersion(o *command.App) *cobra.Command {
	var materials bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this binary was built from",
		Long: `Print the version, the commit and the Go release that this binary was built from,
as the Go tool recorded them, and for a release the command that builds the same
bytes again. No configuration is read.

--sbom prints the software bill of materials as CycloneDX 1.6: all modules that
are linked into the binary, with versions, sums of go.sum and licences.`,
		Example: `  peerd version
  peerd version --json
  peerd version --sbom > peerd.cdx.json`,
		Args: cobra.NoArgs,
		RunE: command.Run(func(context.Context) error {
			if materials {
				return terminal.PrintJSON(terminal.Lines(o.Stdout), bill.Of(version.Build()))
			}
			doc := version.Read()
			return o.Print(doc, doc.Write)
		}),
	}
	cmd.Flags().BoolVar(&materials, "sbom", false, "print the software bill of materials (CycloneDX 1.6)")
	return cmd
}
