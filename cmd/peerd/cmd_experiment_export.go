package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"peerd.dev/internal/lab/mlflow"
)

func newExperimentExport(o *options) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write results as a folder that MLflow reads",
		Long: `Add a folder of results to a folder that MLflow reads as its file store: one run for the
experiment, with its files as artifacts, and below it one for every cell, with its settings as
parameters and regret by round as a metric (mean over seeds, with the ends of its 95 % interval).
Runs that are there already are left as they are.

No export is needed for DuckDB, pandas and others: rows.parquet and rows.jsonl are tables.`,
		Example: `  peerd experiment export runs/fig2a -o mlruns
  mlflow ui --backend-store-uri mlruns`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := mlflow.Export(args[0], out)
			if err != nil {
				return err
			}
			return o.print(e, func(w io.Writer) {
				_, _ = fmt.Fprintf(w, "%s: %d runs of experiment %q, %d more were there\n", e.Out, e.Runs, e.Experiment, e.Kept)
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "mlruns", "folder to add to")
	return cmd
}
