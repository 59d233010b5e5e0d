package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"peerd.dev/cmd/peerd/internal/daemon"
)

func newRecover(o *options) *cobra.Command {
	return o.takesFile(&cobra.Command{
		Use:   "recover",
		Short: "Continue with a folder that was restored from a backup",
		Long: `Continue with a folder that is older than what other peers remember of this peer: it was
restored from a backup, or the disk was lost and the key was not. Such a peer releases
nothing, because it cannot know what it has already released.

If the newer folder still exists, use it instead of this command. If it is lost, recover
accepts the length of the ledger that the other peers remember. Every leaf that may have
been released since is abandoned and never released again, and the peer continues as a
new incarnation. Nothing is charged again, and the ledger records the gap.

The peer must be stopped. It must have been started once on this folder, with all its
neighbours running, so that they could report the last checkpoint they saw.`,
		Example: `  peerd status --dir hospital-a     # reports whether the peer is blocked, and why
  peerd recover --dir hospital-a
  peerd run --dir hospital-a`,
		RunE: o.run(func(context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			keepPrivate()
			log, err := daemon.NewLogger(o.stderr, c.Log)
			if err != nil {
				return err
			}
			done, err := daemon.Recover(&c.Settings, log.With(slog.String("command", "recover")))
			if err != nil {
				return err
			}
			return o.print(done, func(w io.Writer) { _, _ = fmt.Fprintln(w, done) })
		}),
	})
}
