// Package explain is the extra that says what settings promise: as a command, to the API, and in the warnings of config check.
package explain

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/explain"
	"peerd.dev/node/api"
)

func init() {
	command.Register("", newPrivacy)
	command.Losing, daemon.Explain = explain.LosingIn, promised
}

// promised returns what settings promise, for the API.
func promised(s *config.Settings) (func(now time.Time) api.Privacy, error) {
	doc, err := explain.New(&config.Config{Settings: *s}, time.Time{})
	if err != nil {
		return nil, err
	}
	p := api.Privacy{Private: doc.Private, Compared: doc.Unit.Neighbours, Public: doc.Public, NotCovered: doc.NotCovered, Heading: doc.Heading()}
	if b := doc.Budget; b != nil {
		p.Epsilon, p.Delta = b.Epsilon, b.Delta
	}
	return func(now time.Time) api.Privacy {
		doc.Head.Printed = now.UTC()
		p.Sections = doc.Sections(s)
		return p
	}, nil
}

func newPrivacy(o *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "privacy",
		Short: "Say what a configuration promises its users",
		Long: `Say what a configuration promises its users. For what a peer has spent and released, see
its ledger: peerd ledger.`,
		Example: `  peerd privacy explain peerd.yaml`,
		Args:    cobra.NoArgs,
		RunE:    command.Help,
	}
	cmd.AddCommand(newPrivacyExplain(o))
	return cmd
}

func newPrivacyExplain(o *command.App) *cobra.Command {
	return o.TakesFile(&cobra.Command{
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
		RunE: o.Loaded(func(_ context.Context, c *config.Config) error {
			doc, err := explain.New(c, time.Now())
			if err != nil {
				return err
			}
			return o.Print(doc, func(w io.Writer) { doc.Write(w, &c.Settings) })
		}),
	})
}
