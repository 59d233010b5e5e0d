package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/explain"
)

func newPrivacy(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "privacy",
		Short: "Say what a configuration promises its users",
		Long: `Say what a configuration promises its users. For what a peer has spent and released, see
its ledger: peerd ledger.`,
		Example: `  peerd privacy explain peerd.yaml`,
		Args:    cobra.NoArgs,
		RunE:    help,
	}
	cmd.AddCommand(newPrivacyExplain(o))
	return cmd
}

func newPrivacyExplain(o *options) *cobra.Command {
	return o.takesFile(&cobra.Command{
		Use:   "explain",
		Short: "Print a page for a privacy officer: promise, noise, horizon, what is not covered",
		Long: `Print a page for a privacy officer: who is protected, against whom and how far, by
which noise, for how long, what the noise does to the results, what is public and what
is not covered. It is made from the configuration and, for the date on which the budget
ends, the network file if there is one. No peer has to run.

The page predicts the noise. It warns if the noise is larger than the differences to be
learnt, and names the settings that would halve it and the mechanism with the least.`,
		Example: `  peerd privacy explain configs/application.yaml
  peerd privacy explain --dir hospital-a --json | jq .mechanism
  peerd privacy explain configs/rows.yaml --set privacy.epsilon=0.1`,
		RunE: o.loaded(func(_ context.Context, c *config.Config) error {
			doc, err := explain.New(c, time.Now())
			if err != nil {
				return err
			}
			return o.print(doc, func(w io.Writer) { doc.Write(w, &c.Settings) })
		}),
	})
}
