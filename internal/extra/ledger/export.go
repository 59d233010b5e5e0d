package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/output"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
)

func newLedgerExport(o *command.App) *cobra.Command {
	var file string
	var openings bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a peer's ledger, signed, for others to verify",
		Long: `Write all records of a peer and, as the last line, its signature of them. The records
are verified on the way. The command needs the peer's folder, with its key; the peer may
run or be stopped. Nothing in the file is private, unless --openings adds the numbers of
releases that the ledger of protocol shuffle only commits to. They are for an auditor, who
must not show them to shuffler and analyzer; the peer must be stopped.`,
		Example: `  peerd ledger export --dir hospital-a -o hospital-a.jsonl
  peerd ledger export --dir hospital-a | peerd ledger verify -`,
		RunE: command.Run(func(ctx context.Context) error {
			return withLedger(o, ctx, openings, func(c *config.Config, lines iter.Seq2[[]byte, error]) error {
				id, err := c.LedgerIdentity()
				if err != nil {
					return err
				}
				return Export(o, ctx, file, openings, lines, id.Sign)
			})
		}),
	}
	cmd.Flags().BoolVar(&openings, "openings", false, "add the numbers that the ledger commits to, for an auditor")
	cmd.Flags().StringVarP(&file, "output", "o", Standard, "file to write, - for standard output")
	return o.TakesFile(cmd)
}

// An exportDoc says what export wrote.
type exportDoc struct {
	File    string      `json:"file"`
	Records uint64      `json:"records"`
	Head    ledger.Hash `json:"head"`
}

// Export writes a ledger with a signature to a file, or to standard output.
func Export(o *command.App, ctx context.Context, file string, openings bool, lines iter.Seq2[[]byte, error], sign func(domain string, b []byte) ([]byte, error)) error {
	if file == Standard {
		_, err := check.Export(o.Stdout, lines, sign)
		return ledgerError("the peer's ledger", err)
	}
	mode := os.FileMode(0o644) // others may read it
	if openings {
		mode = 0o600
	}
	var r check.Report
	if err := output.WriteFile(ctx, file, mode, func(f *os.File) (err error) {
		r, err = check.Export(f, lines, sign)
		return ledgerError("the peer's ledger", err)
	}); err != nil {
		return err
	}
	return o.Print(exportDoc{file, r.Records, r.Head}, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "wrote %s: %d records, head %v\n", file, r.Records, r.Head)
		_, _ = fmt.Fprintf(w, "anyone can verify it: peerd ledger verify %s\n", terminal.Quote(file))
	})
}

func newLedgerVerify(o *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Verify an exported ledger",
		Long: `Verify an exported ledger. The command needs the file alone: no network, key or
configuration. Every charge, the noise that it pays for, the sum of the charges, every
release, the hashes and the signature are recomputed. The report states what this shows
and what it does not. A fault is reported with its line, and the exit code is 5.`,
		Example: `  peerd ledger verify hospital-a.jsonl
  peerd ledger verify hospital-a.jsonl --json | jq .left_nano_epsilon
  peerd ledger verify - < hospital-a.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := verifyFile(args[0], cmd.InOrStdin())
			if err != nil {
				return ledgerError(args[0], err)
			}
			return o.Print(r, func(w io.Writer) {
				_, _ = fmt.Fprintf(w, "ok: %s\n\n", args[0])
				_ = r.Write(w)
			})
		},
	}
}

func verifyFile(name string, stdin io.Reader) (check.Report, error) {
	if name == Standard {
		return check.Verify(stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return check.Report{}, err
	}
	defer func() { _ = f.Close() }()
	return check.Verify(f)
}

// ledgerError gives a fault of a ledger its exit code.
func ledgerError(name string, err error) error {
	var fault *check.Fault
	if errors.As(err, &fault) {
		return config.Failf(config.ErrPrivacy, "%s: %w", name, err)
	}
	return err
}
