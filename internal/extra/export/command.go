// Package export is the extra that writes decisions and rewards as raw data.
package export

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
)

func init() { command.Register("", newDecisions) }

func newDecisions(o *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "decisions",
		Short: "Evaluate and export a site's own decisions and rewards",
		Long: `Evaluate and export a site's own decisions and rewards, for its own eyes; or report those that an
application has logged.`,
		Example: `  peerd decisions evaluate --dir hospital-a
  peerd decisions export --dir hospital-a -o decisions.parquet
  peerd decisions import cb.txt --format vw --dir hospital-a`,
		Args: cobra.NoArgs,
		RunE: command.Help,
	}
	cmd.AddCommand(newDecisionsExport(o))
	return cmd
}

func newDecisionsExport(o *command.App) *cobra.Command {
	var file, format string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write decisions and rewards as raw data",
		Long: `Write the decisions of a peer with their rewards, in the column names of the Open Bandit
Pipeline: action, position, reward, pscore (the propensity), context and action_context. In CSV a
list is JSON in its cell. The peer may run: it goes on meanwhile, and its store is copied next to the
file for as long as that takes. The file is RAW DATA of people: it has no noise, no budget covers it,
and only its owner can read it. Decisions whose windows are not over are left out.`,
		Example: `  peerd decisions export --dir hospital-a -o decisions.parquet
  peerd decisions export --dir hospital-a -o decisions.jsonl --format jsonl`,
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			done, err := exportDecisions(ctx, &c.Settings, file, format)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(o.Stderr, "peerd: %s\n", done.Warning())
			return o.Print(done, func(w io.Writer) { _, _ = fmt.Fprintln(w, done) })
		}),
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write, mode 0600")
	cmd.Flags().StringVar(&format, "format", usual(), formats())
	return o.TakesFile(cmd)
}
