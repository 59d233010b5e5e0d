// Package backup is the extra that copies a peer's folder, also while the peer runs.
package backup

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/terminal/output"
)

func init() {
	command.Register("", newBackup)
	daemon.Archive = archive
}

func newBackup(o *command.App) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Copy a peer's folder, also while the peer runs",
		Long: `Write the folder of a peer to a compressed archive, with everything that was acknowledged
before. The peer may run: it goes on meanwhile, and decides and learns as before. The
archive is AS PRIVATE AS THE FOLDER: it holds the key, the tokens and the rewards that are
still kept, and only its owner can read it.

To go back to a backup, unpack the archive with tar and run peerd recover. A backup saves what
was learned, the budget, and decisions and rewards; docs/durability.md says what it cannot save.
Never run two copies of a folder.`,
		Example: `  peerd backup --dir hospital-a -o hospital-a.tgz
  tar -xzf hospital-a.tgz     # makes the folder hospital-a`,
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			return writeBackup(o, ctx, &c.Settings, file)
		}),
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write, mode 0600")
	return o.TakesFile(cmd)
}

// A backupDoc says what backup wrote.
type backupDoc struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func writeBackup(o *command.App, ctx context.Context, s *config.Settings, file string) error {
	if err := output.WriteFile(ctx, file, 0o600, func(f *os.File) error { return copyFolder(ctx, s, f) }); err != nil {
		return err
	}
	i, err := os.Stat(file)
	if err != nil {
		return err
	}
	return o.Print(backupDoc{file, i.Size()}, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "wrote %s: %d kB. Keep it as private as the folder\n", file, (i.Size()+999)/1000)
	})
}
