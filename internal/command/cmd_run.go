package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"github.com/libp2p/go-libp2p/gologshim"
	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/version"
)

func newRun(o *App) *cobra.Command {
	var r runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run this peer until it is interrupted",
		Long: `Run this peer: connect to its neighbours in the network file, play rounds by the clock,
and release only what the privacy budget pays for. It needs a folder made by peerd init,
with a complete peerd.yaml, and the network file. After one interrupt it ends cleanly
within three seconds.

Everything is on disk before it is answered or sent: stop the peer, or lose power, and
the next start continues where it stopped. The budget covers the life of the folder.
On SIGHUP it reads its configuration again, takes over log.level, and names the other keys
that have changed, which need a restart.

With world.kind: application, the site's application asks for actions and reports
rewards over the API; see docs/api.md.`,
		Example: `  peerd init --dir hospital-a
  peerd run --dir hospital-a
  peerd status --dir hospital-a`,
		RunE: o.Loaded(func(ctx context.Context, c *config.Config) error {
			return runPeer(o, ctx, c, r)
		}),
	}
	cmd.Flags().StringVar(&r.trace, "trace", "", "in lockstep, write every decision, release and frame to this folder")
	cmd.Flags().BoolVar(&r.leash, "leash", false, "end when standard input is closed, so that no peer outlives the process that started it")
	return o.TakesFile(cmd)
}

type runOptions struct {
	trace string
	leash bool
}

// runPeer runs one peer until ctx is done.
func runPeer(o *App, ctx context.Context, c *config.Config, r runOptions) error {
	s := &c.Settings
	var lockstep daemon.Lockstep
	if Lockstep != nil {
		var err error
		if lockstep, err = Lockstep(s, r.trace); err != nil {
			return err
		}
	}
	if r.trace != "" && s.Mode != config.Lockstep {
		return config.Failf(config.ErrUsage, "--trace writes down what a peer keeps to itself; it needs mode: lockstep")
	}
	if r.leash {
		var cut context.CancelFunc
		ctx, cut = context.WithCancel(ctx)
		defer cut()
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // returns at the end or with an error: either way the other end of the leash is gone
			cut()
		}()
	}
	log, level, err := daemon.NewLogger(o.Stderr, s.Log)
	if err != nil {
		return err
	}
	gologshim.SetDefaultHandler(daemon.Libraries(log)) // before libp2p's first line
	if s.Mode == config.Live {
		keepPrivate()
	}
	defer reloads(o, c, level, log)()
	d, err := start(ctx, c, daemon.Options{Lockstep: lockstep, Version: version.Read().Version}, log)
	if err != nil || d == nil {
		return err
	}
	return errors.Join(d.Run(ctx), d.Close())
}

// start opens a peer, or returns nothing once ctx is done: a start that waits for a lock or for the disk is left behind, as
// it would be by a crash.
func start(ctx context.Context, c *config.Config, o daemon.Options, log *slog.Logger) (*daemon.Daemon, error) {
	var d *daemon.Daemon
	opened := make(chan error, 1)
	go func() {
		var err error
		d, err = daemon.Open(c, o, log)
		opened <- err
	}()
	select {
	case err := <-opened:
		return d, err
	case <-ctx.Done():
		return nil, nil
	}
}
