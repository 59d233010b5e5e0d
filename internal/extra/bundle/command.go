package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/explain"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/output"
	"peerd.dev/internal/version"
	"peerd.dev/node/ledger/check"
)

func init() {
	command.Register("audit", newAuditBundle)
	command.Register("audit", newAuditVerify)
}

func newAuditBundle(o *command.App) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Write one signed file with everything that an auditor needs",
		Long: `Write the auditor's bundle of a peer: its settings, the page of its promise, its ledger,
every version of the network's document with the votes for it, what neighbours signed
about the ledger, and what the program was built from. It is signed with the peer's key,
and verified before it is put in its place. No reward, decision or key is in it; settings of the
site and addresses of the network are.

The command needs the peer's folder, with its key; the peer may run or be stopped.
docs/bundle.md describes the file.`,
		Example: `  peerd audit bundle --dir hospital-a -o hospital-a.tar
  peerd audit verify hospital-a.tar`,
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			return writeBundle(o, ctx, c, file, time.Now().UTC().Truncate(time.Second))
		}),
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write")
	return o.TakesFile(cmd)
}

func writeBundle(o *command.App, ctx context.Context, c *config.Config, file string, now time.Time) error {
	var r *Report
	if err := output.WriteFile(ctx, file, 0o644, func(f *os.File) error {
		e, err := Gather(ctx, &c.Settings)
		if err != nil {
			if wrong := new(check.Fault); errors.As(err, &wrong) {
				return config.Failf(config.ErrPrivacy, "the peer's ledger: %w", err)
			}
			return err
		}
		if err = addPage(e.Parts, c, now); err != nil {
			return err
		}
		if e.Parts[Build], err = builtFrom(); err != nil {
			return err
		}
		m := Manifest{Network: e.Network, Site: e.Site, Peer: e.Key.ID(), Made: now}
		if err = Write(f, m, e.Parts, e.Key.Sign); err != nil {
			return err
		}
		if r, err = verifyBundle(f.Name()); err != nil {
			return fmt.Errorf("nothing was written, since the bundle would not verify: %w", err)
		}
		return nil
	}); err != nil {
		return err
	}
	return o.Print(r, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "wrote %s; anyone can verify it: peerd audit verify %s\n\n", file, terminal.Quote(file))
		r.Write(w)
	})
}

// addPage adds the page of the promise, for people and for programs.
func addPage(parts map[string][]byte, c *config.Config, now time.Time) error {
	doc, err := explain.New(c, now)
	if err != nil {
		return err
	}
	var text, data bytes.Buffer
	doc.Write(terminal.Lines(&text), &c.Settings)
	parts[Page] = text.Bytes()
	err = terminal.PrintJSON(terminal.Lines(&data), doc)
	parts[PageJSON] = data.Bytes()
	return err
}

// builtFrom returns the part about this program.
func builtFrom() ([]byte, error) {
	sum, err := version.ProgramHash()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = terminal.PrintJSON(&b, Program{Info: version.Read(), SHA256: sum})
	return b.Bytes(), err
}

func newAuditVerify(o *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "Verify an auditor's bundle",
		Long: `Verify a bundle. The command needs the file alone: no network, key, configuration or
running peer. Hashes and signatures, every charge and release of the ledger, every vote for a version of
the network's document, and every receipt are verified, and that all parts are about the
same site, promise and time. The report says who vouches for the ledger, and what the
bundle does not show. A fault has a kind, which docs/bundle.md lists, and exit code 5.

docs/examples/python has a verifier that shares no code with this one.`,
		Example: `  peerd audit verify hospital-a.tar
  peerd audit verify hospital-a.tar --json | jq .witnesses`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := verifyBundle(args[0])
			if err != nil {
				return err
			}
			return o.Print(r, func(w io.Writer) {
				_, _ = fmt.Fprintf(w, "ok: %s\n\n", args[0])
				r.Write(w)
			})
		},
	}
}

// verifyBundle verifies a file, and gives a fault its exit code.
func verifyBundle(name string) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r, err := Verify(f)
	if fault := new(Fault); errors.As(err, &fault) {
		return nil, config.Failf(config.ErrPrivacy, "%w", err)
	}
	return r, err
}
