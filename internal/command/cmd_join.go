package command

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"peerd.dev/internal/change"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
)

func newJoin(o *App) *cobra.Command {
	var listen, addrs, from []string
	var yes bool
	c := &cobra.Command{
		Use: "join TOKEN|@FILE|-", Short: "Join a network with the token of an invitation", Args: cobra.ExactArgs(1),
		Long: `Make a peer's folder with a key of its own and the settings that the network shares, and put that
key in the place that the invitation made. Before, it shows the network, its actions and its
privacy budget, and asks; with no as an answer nothing is made, and the token can still be
used. It asks at what address others may dial the peer, too; a peer without one, such as
behind a firewall, dials others. If it is interrupted, it can be run again.

@FILE reads the token from a file, such as a secret of a container platform, and - a line of the
standard input. Other users of the machine can see the arguments of a command, and so a TOKEN.`,
		Example: "  peerd join peerd1-AX… --dir hospital-b --listen /ip4/0.0.0.0/tcp/8471\n  peerd run --dir hospital-b",
		RunE: func(cmd *cobra.Command, args []string) error {
			in := bufio.NewReader(cmd.InOrStdin())
			token, err := tokenOf(args[0], in)
			if err != nil {
				return err
			}
			dir, err := o.Folder()
			if err != nil {
				return err
			}
			j, err := change.Join(cmd.Context(), Schema(), token, dir, listen, addrs, from, o.Set, func(t *change.Terms) (err error) {
				if t.Write(terminal.Lines(o.Stderr)); !yes {
					err = agree(o, in, t)
				}
				if err == nil {
					_, _ = fmt.Fprintln(o.Stderr, t.Reached())
				}
				return err
			})
			if err != nil {
				return err
			}
			return o.Print(j, func(w io.Writer) {
				_, _ = fmt.Fprintf(w, "made %s: %s, peer of network %s in version %d\nthen: peerd run --dir %s\n", j.Dir, j.Name, j.Network, j.Version, terminal.Quote(j.Dir))
			})
		},
	}
	c.Flags().StringSliceVar(&listen, "listen", []string{"/ip4/0.0.0.0/tcp/8471"}, "address to listen on")
	c.Flags().StringSliceVar(&addrs, "addr", nil, "address at which others may dial the peer (default none: it dials them, and no firewall has to let anything in)")
	c.Flags().StringSliceVar(&from, "from", nil, "address at which to dial the peer that invites (default those in the token)")
	c.Flags().BoolVar(&yes, "yes", false, "join without a question; without --addr others do not dial the peer")
	return onceOnly(o, c, config.DocumentName)
}

// agree asks whether to join, and at what address others may dial the peer, unless one is given.
func agree(o *App, answers *bufio.Reader, t *change.Terms) error {
	_, _ = fmt.Fprint(o.Stderr, "join? [y/N] ")
	answer, err := answers.ReadString('\n')
	switch answer = strings.ToLower(strings.TrimSpace(answer)); {
	case answer == "y" || answer == "yes":
		if len(t.Addrs) == 0 {
			_, _ = fmt.Fprintf(o.Stderr, "may others dial this peer? That takes an address that they reach and a firewall that lets them in; without one it dials them.\nThe address, such as %s if they reach this machine there, or nothing for no: ", t.Here)
			at, _ := answers.ReadString('\n')
			switch strings.ToLower(strings.TrimSpace(at)) {
			case "n", "no":
			default:
				t.Addrs = strings.Fields(at)
			}
		}
		return nil
	case err != nil && answer == "":
		return config.Failf(config.ErrUsage, "there is no answer to read: want --yes; nothing was made, and the token can still be used")
	}
	return config.Failf(config.ErrUsage, "not joined: nothing was made, and the token can still be used")
}
