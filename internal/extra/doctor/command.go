package doctor

import (
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
)

func init() {
	command.Register("", newCommand)
}

func newCommand(o *command.App) *cobra.Command {
	return o.TakesFile(&cobra.Command{
		Use:   "doctor",
		Short: "Check a peer's folder, machine and neighbours, running or stopped",
		Long: `Check what a peer needs, a line each: PASS, WARN (it works, but deserves attention)
or FAIL, with what is wrong and how to fix it. The peer may run or be stopped;
its state is not changed, and no message is sent.

Of a stopped peer the whole ledger is verified, and each neighbour with an address is
dialled and asked whether it agrees on the network and how much it remembers of this
peer. That finds a folder that was restored from a backup before it is started.

The clock is compared with the network's start, with the times of the peer's files and
with itself. No time server is asked and peers do not exchange the time, so a
clock that is wrong by less than that is not found: keep NTP running.

The exit code is 0 without a FAIL, and otherwise the first that applies: 4 for the
configuration, the network file, a folder that run refuses, or a neighbour with different
settings, 1 for the machine, files of the folder or the ledger, 3 for the network.`,
		Example: `  peerd doctor --dir hospital-a
  peerd doctor --dir hospital-a --json | jq '.checks[] | select(.result != "PASS")'`,
		RunE: command.Run(func(ctx context.Context) error {
			r := Examine(ctx, o.Load, o.Read)
			if err := ctx.Err(); err != nil {
				return err
			}
			doc := doctorDoc{OK: r.OK, Running: r.Running, Checks: r.Checks}
			if !r.OK {
				doc.Code = command.CodeOfKind(r.Kind)
			}
			if err := o.Print(doc, r.Write); err != nil || doc.OK {
				return err
			}
			return &command.ShownError{Code: doc.Code}
		}),
	})
}

// A doctorDoc is a report with the code of the process.
type doctorDoc struct {
	OK      bool         `json:"ok"`
	Code    command.Code `json:"code"`
	Running bool         `json:"running"`
	Checks  []Finding    `json:"checks"`
}
