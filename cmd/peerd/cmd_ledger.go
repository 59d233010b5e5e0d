package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"peerd.dev/node/api"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// standard is the name of a file that stands for standard input or output.
const standard = "-"

func newLedger(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Show, export and verify what a peer paid for and what left it",
		Long: `Show, export and verify the ledger of a peer: a record for every charge to the
privacy budget and one for every release, in full, each bound to the one before it
by a hash. All of it is public. docs/ledger.md says how to read it.`,
		Example: `  peerd ledger show --dir hospital-a
  peerd ledger export --dir hospital-a -o hospital-a.jsonl
  peerd ledger verify hospital-a.jsonl`,
		Args: cobra.NoArgs,
		RunE: help,
	}
	cmd.AddCommand(newLedgerShow(o), newLedgerExport(o), newLedgerVerify(o))
	return cmd
}

// ledgerLines returns the lines of the ledger of the peer in dir, without newlines and
// each good until the next, and what to call when they were read. A running peer is
// asked; the store of a stopped one is opened.
func (o *options) ledgerLines(ctx context.Context, dir string) (iter.Seq2[[]byte, error], func() error, error) {
	if _, err := os.Stat(filepath.Join(dir, storeDir)); errors.Is(err, os.ErrNotExist) {
		return nil, nil, failf(exitUnexpected, "dir %s holds no ledger: the peer was never started with mode: slots", dir)
	}
	unlock, err := lockDir(dir)
	if err != nil {
		return askedLines(ctx, dir), func() error { return nil }, nil
	}
	st, err := store.Open(filepath.Join(dir, storeDir), store.Options{ReadOnly: true})
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return site.Records(st, 0, math.MaxUint64), func() error { defer unlock(); return st.Close() }, nil
}

// askedLines asks a running peer for its ledger, page by page.
func askedLines(ctx context.Context, dir string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for from, more := uint64(0), true; more; {
			more = false
			for line, err := range api.Lines(ctx, dir, fmt.Sprintf("/v1/ledger?from=%d", from)) {
				if !yield(line, err) || err != nil {
					return
				}
				r, err := ledger.ParseLine(line)
				if err != nil {
					yield(nil, err)
					return
				}
				from, more = r.Seq+1, true
			}
		}
	}
}

// withLedger calls f with the configuration and the ledger that the flags lead to.
func (o *options) withLedger(ctx context.Context, f func(c *Config, lines iter.Seq2[[]byte, error]) error) error {
	c, err := o.read()
	if err != nil {
		return err
	}
	lines, done, err := o.ledgerLines(ctx, c.Dir)
	if err != nil {
		return err
	}
	return errors.Join(f(c, lines), done())
}

func newLedgerShow(o *options) *cobra.Command {
	var page ledgerPage
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print a peer's newest records, the newest last",
		Long: `Print a peer's newest records, the newest last, or those from --from on. With --json
every record is printed whole.`,
		Example: `  peerd ledger show --dir hospital-a
  peerd ledger show --dir hospital-a --from 0 --limit 3 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page.newest = !cmd.Flags().Changed("from")
			if page.limit < 0 {
				return failf(exitUsage, "--limit %d, want a number from 0", page.limit)
			}
			return o.withLedger(cmd.Context(), func(_ *Config, lines iter.Seq2[[]byte, error]) error {
				shown, err := page.read(lines)
				if err != nil {
					return err
				}
				return o.print(shown, func(w io.Writer) { writeRecords(w, shown) })
			})
		},
	}
	cmd.Flags().Uint64Var(&page.from, "from", 0, "number of the first record; without it the newest are shown")
	cmd.Flags().IntVar(&page.limit, "limit", 20, "at most so many records; 0 for all")
	return cmd
}

// A ledgerPage says which records to show.
type ledgerPage struct {
	newest bool   // the last ones
	from   uint64 // else those from this one on
	limit  int    // at most so many, 0 for all
}

// A shownRecord is a record, and the line that is its form as JSON.
type shownRecord struct {
	ledger.Record
	line []byte
}

// MarshalJSON returns the line.
func (r shownRecord) MarshalJSON() ([]byte, error) { return r.line, nil }

var _ json.Marshaler = shownRecord{}

// read returns the records of the page, the newest last.
func (p ledgerPage) read(lines iter.Seq2[[]byte, error]) ([]shownRecord, error) {
	shown := []shownRecord{}
	for line, err := range lines {
		if err != nil {
			return nil, err
		}
		if !p.newest && p.limit > 0 && len(shown) == p.limit {
			break
		}
		r, err := ledger.ParseLine(line)
		if err != nil {
			return nil, err
		}
		if !p.newest && r.Seq < p.from {
			continue
		}
		shown = append(shown, shownRecord{r, bytes.Clone(line)})
		if p.newest && p.limit > 0 && len(shown) > p.limit {
			shown = shown[1:]
		}
	}
	return shown, nil
}

func writeRecords(w io.Writer, records []shownRecord) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "RECORD\tKIND\tWHAT")
	for _, r := range records {
		_, _ = fmt.Fprintf(t, "%d\t%s\t%s\n", r.Seq, r.Body.Kind(), r.Body)
	}
	_ = t.Flush()
}

func newLedgerExport(o *options) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a peer's ledger, signed, for others to verify",
		Long: `Write all records of a peer and, as the last line, its signature of them. The records
are verified on the way. Nothing in the file is private.`,
		Example: `  peerd ledger export --dir hospital-a -o hospital-a.jsonl
  peerd ledger export --dir hospital-a | peerd ledger verify -`,
		Args: cobra.NoArgs,
		RunE: o.run(func(ctx context.Context) error {
			return o.withLedger(ctx, func(c *Config, lines iter.Seq2[[]byte, error]) error {
				id, err := c.identity()
				if err != nil {
					return err
				}
				return o.exportLedger(file, lines, id.Sign)
			})
		}),
	}
	cmd.Flags().StringVarP(&file, "output", "o", standard, "file to write, - for standard output")
	return cmd
}

// An exportDoc says what export wrote.
type exportDoc struct {
	File    string      `json:"file"`
	Records uint64      `json:"records"`
	Head    ledger.Hash `json:"head"`
}

func (o *options) exportLedger(file string, lines iter.Seq2[[]byte, error], sign func(domain string, b []byte) ([]byte, error)) error {
	if file == standard {
		_, err := ledger.Export(o.stdout, lines, sign)
		return ledgerError("the peer's ledger", err)
	}
	f, err := renameio.NewPendingFile(file, renameio.WithStaticPermissions(0o644)) // for others
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after success
	r, err := ledger.Export(f, lines, sign)
	if err != nil {
		return ledgerError("the peer's ledger", err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return o.print(exportDoc{file, r.Records, r.Head}, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "wrote %s: %d records, head %v\n", file, r.Records, r.Head)
		_, _ = fmt.Fprintf(w, "anybody can check it: peerd ledger verify %s\n", file)
	})
}

func newLedgerVerify(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Check an export, which takes nothing but the file",
		Long: `Check an export, without a network, a key or a configuration. Every charge, the
noise that it pays for, the sum of the charges, every release, the hashes and the
signature are computed anew. The report says what is shown by that and what is not.
What is wrong is named with its line, and the exit code is 5.`,
		Example: `  peerd ledger verify hospital-a.jsonl
  peerd ledger verify hospital-a.jsonl --json | jq .left_nano_epsilon
  peerd ledger verify - < hospital-a.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := verifyFile(args[0], cmd.InOrStdin())
			if err != nil {
				return ledgerError(args[0], err)
			}
			return o.print(r, func(w io.Writer) {
				_, _ = fmt.Fprintf(w, "ok: %s\n\n", args[0])
				_ = r.Write(w)
			})
		},
	}
}

func verifyFile(name string, stdin io.Reader) (ledger.Report, error) {
	if name == standard {
		return ledger.Verify(stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return ledger.Report{}, err
	}
	defer func() { _ = f.Close() }()
	return ledger.Verify(f)
}

// ledgerError gives a fault of a ledger its exit code.
func ledgerError(name string, err error) error {
	var fault *ledger.Fault
	if errors.As(err, &fault) {
		return failf(exitPrivacy, "%s: %w", name, err)
	}
	return err
}
