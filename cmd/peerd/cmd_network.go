package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/change"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/network"
)

func newNetwork(o *options) *cobra.Command {
	var f change.Founding
	var start string
	var addrs, links, without []string
	var needed int
	all := &cobra.Command{
		Use: "network", Short: "Begin a signed network document, and change it while its peers run", RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		Long: `A signed network document replaces the network file. It has a version. The next version differs
by one change, which a majority of the peers has signed, or as many of the admins as have to, if the
document names any. The peers spread it themselves; nothing is copied, and nothing is restarted.

These commands act on the folder given by --dir. If its peer runs, it notices them within a second.`,
		Example: "  peerd network new --dir hospital-a --name clinics --peer hospital-a --addr /ip4/192.0.2.1/tcp/8471 --admin\n" +
			"  peerd network invite hospital-b --dir hospital-a\n  peerd network show --dir hospital-a",
	}
	sub := func(use, short string, args int, do func(s *config.Settings, name []string) (*change.Overview, error)) *cobra.Command {
		count := cobra.ExactArgs(args)
		if args == some {
			count = cobra.MinimumNArgs(1)
		}
		c := &cobra.Command{Use: use, Short: short, Example: "  peerd network " + use + " --dir hospital-a", Args: count, RunE: func(cmd *cobra.Command, name []string) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			if len(without) > 0 {
				if err = change.DoWithout(&c.Settings, without); err != nil {
					return err
				}
			}
			x, err := do(&c.Settings, name)
			if err == nil && x != nil {
				err = o.print(x, x.Write)
			}
			if d, none := daemon.AskStatus(cmd.Context(), c.Dir); none == nil && d.DocumentNotice != "" {
				_, _ = fmt.Fprintln(o.stderr, "NOTICE: "+d.DocumentNotice)
			}
			return err
		}}
		all.AddCommand(c)
		return c
	}
	want := func(kind network.Kind) func(*config.Settings, []string) (*change.Overview, error) {
		return func(s *config.Settings, name []string) (*change.Overview, error) {
			c := network.Change{Kind: kind, Addrs: addrs, Links: links}
			switch {
			case kind == network.Govern:
				c.Admins, c.Needed = name, needed
				return change.Want(s, c)
			case len(name) > 0 && (kind == network.Extend || kind == network.Retire):
				c.Arm = name[0]
			case kind == network.Set:
				c.Setting = &network.Setting{Key: name[0], Value: name[1]}
				return change.Want(s, c)
			case kind == network.Link || kind == network.Unlink:
				c.Peer, c.Links = name[0], name[1:]
				return change.Want(s, c)
			case len(name) > 0:
				c.Peer = name[0]
			}
			if len(name) > 1 {
				c.ID = name[1]
			}
			return change.Want(s, c)
		}
	}
	alone := func(do func(*config.Settings) (*change.Overview, error)) func(*config.Settings, []string) (*change.Overview, error) {
		return func(s *config.Settings, _ []string) (*change.Overview, error) { return do(s) }
	}
	begin := sub("new", "Begin a network document whose first peer is this one", 0, func(s *config.Settings, _ []string) (x *change.Overview, err error) {
		if start != "" {
			if f.Start, err = time.Parse(time.RFC3339, start); err != nil {
				return nil, config.Failf(config.ErrUsage, "--start: %w", err)
			}
		}
		f.Addrs = addrs
		return change.New(s, f)
	})
	begin.Flags().StringVar(&f.Name, "name", "", "the network's name")
	begin.Flags().StringVar(&f.Peer, "peer", "", "this peer's name")
	begin.Flags().StringVar(&start, "start", "", "the time of round 0 (default now)")
	begin.Flags().BoolVar(&f.Admins, "admin", false, "only this peer signs changes, not a majority of all peers")
	show := sub("show", "Show the network document, and the changes that peers want", 0, alone(change.Show))
	invite := sub("invite NAME", "Make a place for a new peer, and print the token with which it joins", 1, func(s *config.Settings, name []string) (*change.Overview, error) {
		token, x, err := change.Invite(s, name[0], links)
		if err != nil {
			return nil, err
		}
		for _, p := range x.Proposed {
			if len(p.Signed) < x.Needed && p.Change.Kind == network.Invite && p.Change.Peer == name[0] {
				_, _ = fmt.Fprintf(o.stderr, "the token can be used once %d signers have signed: run `peerd network sign %s` at their sites\n", x.Needed, p.Hash)
			}
		}
		return nil, o.print(invitationDoc{token}, func(w io.Writer) { _, _ = fmt.Fprintln(w, token) })
	})
	add := sub("add NAME ID", "Add a peer with a folder and a key of its own", 2, want(network.Add))
	sub("remove NAME", "End a peer's part in the network permanently; a peer can remove itself", 1, want(network.Remove))
	move := sub("move", "Set the addresses of this peer", 0, want(network.Move))
	sub("rotate", "Give this peer a new key; it keeps what it learned and paid", 0, alone(change.Rotate))
	sub("extend ACTION", "Add an action to choose, for which spare_arms has room", 1, want(network.Extend))
	sub("retire ACTION", "End the choices of an action permanently; rewards under way are still learned from", 1, want(network.Retire))
	sub("link PEER PEER", "Link two peers", 2, want(network.Link))
	sub("unlink PEER PEER", "End the link of two peers", 2, want(network.Unlink))
	sub("set KEY VALUE", "Set a setting of the protocol that all peers share, such as protocol.phases.pull", 2, want(network.Set))
	admins := sub("admins NAME...", "Set which peers sign changes", some, want(network.Govern))
	admins.Flags().IntVar(&needed, "needed", 0, "how many of them have to sign a change (default more than half)")
	sub("sign HASH", "Sign the change that has this hash in what `network show` prints", 1, func(s *config.Settings, hash []string) (*change.Overview, error) {
		return change.Sign(s, hash[0])
	})
	sub("withdraw", "Take back what this peer wants changed", 0, alone(change.Withdraw))
	for _, c := range []*cobra.Command{begin, add, move} {
		c.Flags().StringSliceVar(&addrs, "addr", nil, "address at which others dial the peer; may be repeated")
	}
	for _, c := range all.Commands() {
		if c != begin && c != show {
			c.Flags().StringSliceVar(&without, "without", nil, "names of peers that this one need not hear before it signs for the next version: they are lost, or this folder was not restored from a backup")
		}
	}
	for _, c := range []*cobra.Command{invite, add} {
		c.Flags().StringSliceVar(&links, "links", nil, "names of the new peer's neighbours (default all)")
	}
	return all
}

// some is the number of arguments of a command that takes at least one.
const some = -1

type invitationDoc struct {
	Token string `json:"token"`
}
