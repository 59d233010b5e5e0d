// Package health is the extra by which container platforms check a peer.
package health

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/node/api"
)

func init() { command.Register("", newHealth) }

func newHealth(o *command.App) *cobra.Command {
	var ready bool
	c := &cobra.Command{
		Use: "health", Short: "Check the running peer of a folder, for container platforms", Args: cobra.NoArgs,
		Long: `Ask the running peer of a folder, over its socket, what /readyz asks, and end with code 0 or 1.
An image without curl or a shell can run it.

Without --ready the code is 0 if the peer answers within seconds, whatever it answers. A
platform restarts what fails this check, so only a peer that does not run or hangs fails it.
One that waits for a neighbour, or whose disk is full, passes: a restart would not help it.

With --ready the code is 0 only if the peer decides and releases, as /readyz says. Use it
where nothing is restarted: to route requests, or to wait for a start.

The folder is --dir or PEERD_DIR; its peerd.yaml is not read, so a mistake in it, which the
next start would refuse, does not end the peer that runs.`,
		Example: "  peerd health --dir hospital-a\n  peerd health --dir hospital-a --ready --json",
		RunE: command.Run(func(ctx context.Context) error {
			dir, err := o.Folder()
			if err != nil {
				return err
			}
			h := healthOf(askReady(ctx, dir))
			if err = ctx.Err(); err != nil {
				return err
			}
			if err = o.Print(h, h.write); err == nil && (!h.Alive || ready && !h.Ready) {
				return &command.ShownError{Code: command.ExitUnexpected}
			}
			return err
		}),
	}
	c.Flags().BoolVar(&ready, "ready", false, "fail also where the peer runs and does not release or decide, as /readyz says")
	return c
}

// A healthDoc says how a peer is.
type healthDoc struct {
	Alive bool   `json:"alive"`
	Ready bool   `json:"ready"`
	State string `json:"state"` // what it does, or why not
}

// healthOf returns how a peer is that gave an answer or an error. An error of its own is an answer, too.
func healthOf(state string, err error) healthDoc {
	if problem := new(api.Problem); errors.As(err, &problem) {
		return healthDoc{Alive: true, State: problem.Detail}
	} else if err != nil {
		return healthDoc{State: err.Error()}
	}
	return healthDoc{true, true, state}
}

func (h healthDoc) write(w io.Writer) {
	is := "ready"
	if !h.Alive {
		is = "not alive"
	} else if !h.Ready {
		is = "alive, not ready"
	}
	_, _ = fmt.Fprintf(w, "%s: %s\n", is, h.State)
}

// askReady asks the running peer of a folder whether it decides and releases, and returns what it does.
func askReady(ctx context.Context, dir string) (string, error) {
	var now struct{ State string }
	err := api.Get(ctx, dir, "/readyz", &now)
	return now.State, err
}
