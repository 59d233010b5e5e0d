package claims

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal/output"
)

func init() {
	command.Register("experiment", newCommand)
}

func newCommand(o *command.App) *cobra.Command {
	var x Options
	var page, stored string
	cmd := &cobra.Command{
		Use:   "claims [NAME]...",
		Short: "Judge what papers and documents say of experiments",
		Long: `Play the figures that claims are about, and judge each claim by a statistic with its 95 %
interval: it holds, does not hold, is too close to call, or is judged on data that stand in
for the paper's. Without names all claims are judged: P0 to P4 are of the five papers, D of
docs/lab, and A states agreement with independent programs. A name stands for all claims that
begin with it. configs/claims.yaml says what is wanted of which cells.

Figures that claims share are played once, and only the cells that they need. The folder has
a folder of results for each figure; the same command continues where an interrupted one
stopped. --quick plays quick forms, with fewer rounds: minutes in place of hours, and a
verdict may differ. --from judges what is stored and plays nothing.`,
		Example: `  peerd experiment claims --quick
  peerd experiment claims P1 P3-8 -o runs/claims
  peerd experiment claims --doc docs/claims.md
  peerd experiment claims --from runs --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			x.IDs, x.Progress = args, o.Stderr
			if stored != "" {
				if cmd.Flags().Changed("out") {
					return config.Failf(config.ErrUsage, "-o and --from: name one folder, to play in or to read")
				}
				x.Out, x.Stored = stored, true
			} else if x.Quick && !cmd.Flags().Changed("out") {
				x.Out = filepath.Join("runs", "claims-quick")
			}
			return run(o, cmd.Context(), x, page)
		},
	}
	cmd.Flags().StringVarP(&x.Out, "out", "o", filepath.Join("runs", "claims"), "folder for the results of the figures")
	cmd.Flags().StringVar(&stored, "from", "", "folder with results of figures, by their names; judge these and play nothing")
	cmd.Flags().IntVarP(&x.Jobs, "jobs", "j", 0, "runs at a time (default as many as processors)")
	cmd.Flags().BoolVar(&x.Quick, "quick", false, "play quick forms of the figures")
	cmd.Flags().StringVar(&page, "doc", "", "file for the page of claims, in Markdown")
	return cmd
}

// run judges claims, prints the verdicts and writes the page.
func run(o *command.App, ctx context.Context, x Options, page string) error {
	d, err := Run(ctx, x)
	if err != nil {
		return err
	}
	if page != "" {
		if err = output.WriteFile(ctx, page, 0o644, func(f *os.File) error {
			d.Page(f)
			return nil
		}); err != nil {
			return err
		}
	}
	return o.Print(d, d.Write)
}
