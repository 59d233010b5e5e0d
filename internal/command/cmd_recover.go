package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"peerd.dev/internal/daemon"
)

func newRecover(o *App) *cobra.Command {
	var without []string
	var newStore bool
	cmd := &cobra.Command{
		Use:   "recover",
		Short: "Continue with a folder that was restored from a backup, or whose store is damaged",
		Long: `Continue with a folder that is older than what other peers remember of this peer: it was
restored from a backup, or the disk was lost and the key was not. Such a peer releases
nothing, because it cannot know what it has already released.

If the newer folder still exists, use it instead of this command. If it is lost, recover goes
back to the last state that neighbours have confirmed and accepts the length of the ledger
that they remember. Every leaf that may have been released since is abandoned, with a margin,
and never released again. The peer continues as a new incarnation whose streams begin
again. Nothing is charged again, and the ledger records the gap.

What was lost cannot be counted again:
- Decisions that waited for their reward count no more.
- Which users had decisions in the lost rounds is not known. Each of them may count again, up
  to privacy.records_per_user rewards more, and the promise to such a user is weaker by as much.
- A world that hands out each record of its data once is not played any more.

The peer must be stopped. A restored folder must have been started once, with all neighbours
of the peer running, so that they could report the last checkpoint they saw. After recover
nothing is released until all neighbours have reported again. A neighbour that will not come
back can be done without: name it in --without-neighbours, and the ledger says so. That is
also the way out for a peer that is blocked because too few of its neighbours can be reached.

If the peer refused to start because its store lacks writes that were acknowledged, or because
the store's watermark is lost, recover accepts what the store still holds. If the store cannot
be read and there is no backup, --new-store sets it aside and continues with an empty one under
the same key: what was learnt is lost, and every leaf that may have been released is abandoned.

If the clock was ahead and rounds were played too early, recover goes back to the present round. See first that the clock is
right. One leaf of each stream is given up, and more only if neighbours have not confirmed what was released.`,
		Example: `  peerd status --dir hospital-a     # reports whether the peer is blocked, and why
  peerd recover --dir hospital-a
  peerd recover --dir hospital-a --without-neighbours hospital-c
  peerd run --dir hospital-a`,
		RunE: Run(func(context.Context) error {
			c, err := o.Load()
			if err != nil {
				return err
			}
			keepPrivate()
			log, _, err := daemon.NewLogger(o.Stderr, c.Log)
			if err != nil {
				return err
			}
			done, err := daemon.Recover(&c.Settings, without, newStore, log.With(slog.String("command", "recover")))
			if err != nil {
				return err
			}
			return o.Print(done, func(w io.Writer) { _, _ = fmt.Fprintln(w, done) })
		}),
	}
	cmd.Flags().StringSliceVar(&without, "without-neighbours", nil, "names or ids of neighbours whose memory is done without")
	cmd.Flags().BoolVar(&newStore, "new-store", false, "set a store that cannot be read aside, and continue with an empty one")
	return o.TakesFile(cmd)
}
