// Package ledger is the extra that shows, exports and verifies what a peer paid for and what left it.
package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"peerd.dev/internal/ask"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
)

// Standard is the file name that means standard input or output.
const Standard = "-"

func init() { command.Register("", newLedger) }

func newLedger(o *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Show, export and verify what a peer paid for and what left it",
		Long: `Show, export and verify the ledger of a peer. It has a record for every charge to the
privacy budget and a record for every release, in full, each bound to the one before it
by a hash. All of it is public, and none of the commands changes it. docs/ledger.md
explains how to read it.`,
		Example: `  peerd ledger show --dir hospital-a
  peerd ledger export --dir hospital-a -o hospital-a.jsonl
  peerd ledger verify hospital-a.jsonl`,
		Args: cobra.NoArgs,
		RunE: command.Help,
	}
	cmd.AddCommand(newLedgerShow(o), newLedgerExport(o), newLedgerVerify(o))
	return cmd
}

// withLedger calls f with the configuration and the ledger that the flags select.
func withLedger(o *command.App, ctx context.Context, openings bool, f func(c *config.Config, lines iter.Seq2[[]byte, error]) error) error {
	c, err := o.Read()
	if err != nil {
		return err
	}
	lines, done, err := ask.LedgerLines(ctx, c.Dir, openings)
	if err != nil {
		return err
	}
	return errors.Join(f(c, lines), done())
}

func newLedgerShow(o *command.App) *cobra.Command {
	var page Page
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print a peer's newest records, the newest last",
		Long: `Print a peer's newest records, the newest last, or the records from --from on: what was
paid, and of each release its action, the number of rewards if that is public, and their sum
with the standard deviation of its noise, in the units of rewards. WHEN is the beginning of the
round, in UTC, if the network file is there. With --json every record is printed whole, as it
stands in the ledger. The peer may run or be stopped.`,
		Example: `  peerd ledger show --dir hospital-a
  peerd ledger show --dir hospital-a --from 0 --limit 3 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page.Newest = !cmd.Flags().Changed("from")
			if page.Limit < 0 {
				return config.Failf(config.ErrUsage, "--limit %d, want a number from 0", page.Limit)
			}
			return withLedger(o, cmd.Context(), false, func(c *config.Config, lines iter.Seq2[[]byte, error]) error {
				shown, err := page.Read(lines)
				if err != nil {
					return err
				}
				return o.Print(shown, func(w io.Writer) { WriteRecords(w, shown, ledgerWords(c)) })
			})
		},
	}
	cmd.Flags().Uint64Var(&page.From, "from", 0, "number of the first record (default: show the newest)")
	cmd.Flags().IntVar(&page.Limit, "limit", 20, "maximum number of records; 0 for all")
	return o.TakesFile(cmd)
}

// A Page says which records to show.
type Page struct {
	Newest bool   // the last ones
	From   uint64 // else those from this one on
	Limit  int    // at most this number of records; 0 for all
}

// A shownRecord is a record, and the line that is its form as JSON.
type shownRecord struct {
	ledger.Record
	line []byte
}

// MarshalJSON returns the line.
func (r shownRecord) MarshalJSON() ([]byte, error) { return r.line, nil }

var _ json.Marshaler = shownRecord{}

// Read returns the records of the page, the newest last.
func (p Page) Read(lines iter.Seq2[[]byte, error]) ([]shownRecord, error) {
	shown := []shownRecord{}
	for line, err := range lines {
		if err != nil {
			return nil, err
		}
		if !p.Newest && p.Limit > 0 && len(shown) == p.Limit {
			break
		}
		r, err := ledger.ParseLine(line)
		if err != nil {
			return nil, err
		}
		if !p.Newest && r.Seq < p.From {
			continue
		}
		shown = append(shown, shownRecord{r, bytes.Clone(line)})
		if p.Newest && p.Limit > 0 && len(shown) > p.Limit {
			shown = shown[1:]
		}
	}
	return shown, nil
}

// ledgerWords returns the words for the ledger of a peer with settings.
func ledgerWords(c *config.Config) check.Words {
	var w check.Words
	w.Low, w.High = c.API.Range().Ends()
	if b, err := c.Privacy.Budget(); err == nil {
		w.Delta = b.Delta
	}
	n, err := config.ReadNetwork(c.NetworkPath())
	if err == nil {
		w.Start, w.Every = n.Start, n.Every
	}
	w.Actions = c.Actions(n).Names
	return w
}

// WriteRecords prints records as a table.
func WriteRecords(w io.Writer, records []shownRecord, words check.Words) {
	t := columns.New(w)
	t.Printf("RECORD\tWHEN\tKIND\tOF\tWHAT\n")
	for _, r := range records {
		when, of, what := words.Line(r.Body)
		if letters := []rune(of); len(letters) > widestName {
			of = string(letters[:widestName-1]) + "…"
		}
		t.Printf("%d\t%s\t%s\t%s\t%s\n", r.Seq, when, r.Body.Kind(), of, what)
	}
	t.End()
}

// widestName is how many letters of the name of an action are shown.
const widestName = 16
