package lab

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"peerd.dev/internal/browser"
	"peerd.dev/internal/command"
	"peerd.dev/internal/lab/testnet"
)

func newTestnet(o *command.App) *cobra.Command {
	var t testnetOptions
	cmd := &cobra.Command{
		Use:   "testnet",
		Short: "Run a network of real peers on this machine and show what they learn",
		Long: `Run a network of at most 200 peers, each its own process, over TCP on the loopback
interface: wait until all are linked, show a live table, and end with a summary when
all rounds are played. No process is left behind, even after an interrupt, and the
peers' folders are removed unless --keep is given.

Regret is the loss of a site compared with always choosing one action: the best for its own
users, if the learner chooses for these, and otherwise the one that is best over all sites.
"Alone" is the same site, simulated without the network: nothing leaves it, so it has no noise
and learns from each reward at once (with noise where a learner explores in epochs, as the summary
says). "To expect" is what the same network loses in the mean of 8 simulated runs, which skip no round.
Sites that begin later, and those with another best action than most, have lines of their own.

With world.kind: application, the peers wait for your application: each answers on its
own port, which is printed with the file that holds its token, until the network is
interrupted.`,
		Example: `  peerd testnet configs/reminders.yaml
  peerd testnet configs/reminders.yaml --open
  peerd testnet configs/rows.yaml -n 8 -t 'regular(3)'
  peerd testnet configs/application.yaml
  peerd testnet configs/testnet.yaml --json --keep`,
		RunE: command.Run(func(ctx context.Context) error {
			t.apply(o)
			c, err := o.Load()
			if err != nil {
				return err
			}
			return testnet.Run(ctx, &c.Settings, testnet.Options{
				Open: t.opener(ctx, o.Stderr),
				Keep: t.keep, Progress: o.Stderr, Show: func(doc *testnet.Document) error {
					return o.Print(doc, func(w io.Writer) { doc.Write(w, &c.Settings) })
				},
			})
		}),
	}
	cmd.Flags().IntVarP(&t.nodes, "nodes", "n", 0, "number of peers, short for --set testnet.nodes=; sites take rows of means in turn")
	cmd.Flags().StringVarP(&t.topology, "topology", "t", "", "links between the peers, short for --set testnet.topology=")
	cmd.Flags().BoolVar(&t.open, "open", false, "open a page in a browser that shows all sites as they learn, and the result for a minute; without a browser, print its address")
	cmd.Flags().BoolVar(&t.keep, "keep", false, "keep the peers' folders and logs")
	return o.TakesFile(cmd)
}

type testnetOptions struct {
	nodes    int
	topology string
	keep     bool
	open     bool
}

// opener returns what opens the page of all sites, nil for no page.
func (t testnetOptions) opener(ctx context.Context, w io.Writer) func(link string) {
	if !t.open {
		return nil
	}
	return func(link string) { browser.Write(w, link, browser.Open(ctx, os.TempDir(), link)) }
}

// apply turns the flags into settings.
func (t testnetOptions) apply(o *command.App) {
	if t.topology != "" {
		o.Set = append(o.Set, "testnet.topology="+t.topology)
	}
	if t.nodes != 0 {
		o.Set = append(o.Set, fmt.Sprintf("testnet.nodes=%d", t.nodes))
	}
}
