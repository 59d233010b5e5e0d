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
		Short: "Go on with a folder that was restored from a backup",
		Long: `Go on with a folder that is older than what other peers remember of this peer: it was
restored from a backup, or the disk was lost and the key was not. Such a peer releases
nothing, because it cannot know what it has released already.

If the newer folder still exists, use that one and do not run this. If it is lost, this
takes over from the peers how far the ledger was: everything that may have been released
is given up, never to be released again, and the peer goes on after it as a new
incarnation. Nothing is paid anew, and the gap stands in the ledger. The peer has to be
stopped, and to have been started once on this folder so that its neighbours could tell;
have all of them running then, so that none remembers more.`,
		Example: `  peerd status --dir hospital-a     # says what is held back, and why
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
