package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/internal/change"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/network"
)

// A networkCommand acts on the network document of a folder.
type networkCommand struct {
	use, short string
	args       int          // some for at least one
	flags      string       // their names
	kind       network.Kind // of the change that it wants; empty if it does something else
	do         func(s *config.Settings, f *networkFlags, args []string) (*change.Overview, error)
}

// some is the number of arguments of a command that takes at least one.
const some = -1

// networkFlags are the flags of all of them.
type networkFlags struct {
	change.Founding
	start          string
	links, without []string
	needed         int
}

// networkCommands lists them. peerd network invite prints a token, and is apart.
func networkCommands() []networkCommand {
	alone := func(do func(*config.Settings) (*change.Overview, error)) func(*config.Settings, *networkFlags, []string) (*change.Overview, error) {
		return func(s *config.Settings, _ *networkFlags, _ []string) (*change.Overview, error) { return do(s) }
	}
	sign := func(s *config.Settings, _ *networkFlags, args []string) (*change.Overview, error) {
		return change.Sign(s, args[0])
	}
	return []networkCommand{
		{"new", "Begin a network document whose first peer is this one", 0, "name peer start admin addr", "", found},
		{"show", "Show the network document, and the changes that peers want", 0, "", "", alone(change.Show)},
		{"add NAME ID", "Add a peer with a folder and a key of its own", 2, "addr links without", network.Add, nil},
		{"remove NAME", "End a peer's part in the network permanently; a peer can remove itself", 1, "without", network.Remove, nil},
		{"move", "Set the addresses of this peer", 0, "addr without", network.Move, nil},
		{"rotate", "Give this peer a new key; it keeps what it learned and paid", 0, "without", "", alone(change.Rotate)},
		{"extend ACTION", "Add an action to choose, for which spare_arms has room", 1, "without", network.Extend, nil},
		{"retire ACTION", "End the choices of an action permanently; rewards under way are still learned from", 1, "without", network.Retire, nil},
		{"link PEER PEER", "Link two peers", 2, "without", network.Link, nil},
		{"unlink PEER PEER", "End the link of two peers", 2, "without", network.Unlink, nil},
		{"set KEY VALUE", "Set a setting of the protocol that all peers share, such as protocol.phases.pull", 2, "without", network.Set, nil},
		{"admins NAME...", "Set which peers sign changes", some, "needed without", network.Govern, nil},
		{"sign HASH", "Sign the change that has this hash in what `network show` prints", 1, "without", "", sign},
		{"withdraw", "Take back what this peer wants changed", 0, "without", "", alone(change.Withdraw)},
	}
}

// wanted returns a change of a kind.
func wanted(kind network.Kind, f *networkFlags, args []string) network.Change {
	c := network.Change{Kind: kind, Addrs: f.Addrs, Links: f.links, Needed: f.needed}
	switch kind {
	case network.Add:
		c.Peer, c.ID = args[0], args[1]
	case network.Remove:
		c.Peer = args[0]
	case network.Link, network.Unlink:
		c.Peer, c.Links = args[0], args[1:]
	case network.Extend, network.Retire:
		c.Arm = args[0]
	case network.Set:
		c.Setting = &network.Setting{Key: args[0], Value: args[1]}
	case network.Govern:
		c.Admins = args
	default:
	}
	return c
}

func newNetwork(o *options) *cobra.Command {
	all := &cobra.Command{
		Use: "network", Short: "Begin a signed network document, and change it while its peers run", RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		Long: `A signed network document replaces the network file. It has a version. The next version differs
by one change, which a majority of the peers has signed, or as many of the admins as have to, if the
document names any. The peers spread it themselves; nothing is copied, and nothing is restarted.

These commands act on the folder given by --dir. If its peer runs, it notices them within a second.`,
		Example: "  peerd network new --dir hospital-a --name clinics --peer hospital-a --addr /ip4/192.0.2.1/tcp/8471 --admin\n" +
			"  peerd network invite hospital-b --dir hospital-a\n  peerd network show --dir hospital-a",
	}
	invite := networkCommand{use: "invite NAME", short: "Make a place for a new peer, and print the token with which it joins", args: 1, flags: "links without"}
	invite.do = func(s *config.Settings, f *networkFlags, args []string) (*change.Overview, error) {
		return nil, printInvitation(o, s, args[0], f.links)
	}
	for _, n := range append(networkCommands(), invite) {
		c := n.command(o)
		if n.use == "new" {
			c = o.once(c, config.DocumentName)
		}
		all.AddCommand(c)
	}
	return all
}

// command returns the command for people.
func (n networkCommand) command(o *options) *cobra.Command {
	var f networkFlags
	count := cobra.ExactArgs(n.args)
	if n.args == some {
		count = cobra.MinimumNArgs(1)
	}
	c := &cobra.Command{Use: n.use, Short: n.short, Example: "  peerd network " + n.use + " --dir hospital-a", Args: count, RunE: func(cmd *cobra.Command, args []string) error {
		c, err := o.load()
		if err != nil {
			return err
		}
		if len(f.without) > 0 {
			if err = change.DoWithout(&c.Settings, f.without); err != nil {
				return err
			}
		}
		var x *change.Overview
		if n.kind != "" {
			x, err = change.Want(&c.Settings, wanted(n.kind, &f, args))
			if err == nil && n.kind == network.Extend {
				x.Notes = change.ExtendNotes(args[0])
			}
		} else {
			x, err = n.do(&c.Settings, &f, args)
		}
		if err == nil && x != nil {
			err = o.print(x, x.Write)
		}
		if d, none := daemon.AskStatus(cmd.Context(), c.Dir); none == nil && d.DocumentNotice != "" {
			_, _ = fmt.Fprintln(o.stderr, "NOTICE: "+d.DocumentNotice)
		}
		return err
	}}
	for _, name := range strings.Fields(n.flags) {
		f.add(c, name)
	}
	return c
}

// add adds a flag to a command.
func (f *networkFlags) add(c *cobra.Command, name string) {
	switch flags := c.Flags(); name {
	case "name":
		flags.StringVar(&f.Name, name, "", "the network's name")
	case "peer":
		flags.StringVar(&f.Peer, name, "", "this peer's name")
	case "start":
		flags.StringVar(&f.start, name, "", "the time of round 0 (default now)")
	case "admin":
		flags.BoolVar(&f.Admins, name, false, "only this peer signs changes, not a majority of all peers")
	case "addr":
		flags.StringSliceVar(&f.Addrs, name, nil, "address at which others dial the peer; may be repeated")
	case "links":
		flags.StringSliceVar(&f.links, name, nil, "names of the new peer's neighbours (default all)")
	case "needed":
		flags.IntVar(&f.needed, name, 0, "how many of them have to sign a change (default more than half)")
	case "without":
		flags.StringSliceVar(&f.without, name, nil, "names of peers that this one need not hear before it signs for the next version: they are lost, or this folder was not restored from a backup")
	}
}

// found begins a document.
func found(s *config.Settings, f *networkFlags, _ []string) (x *change.Overview, err error) {
	if f.start != "" {
		if f.Start, err = time.Parse(time.RFC3339, f.start); err != nil {
			return nil, config.Failf(config.ErrUsage, "--start: %w", err)
		}
	}
	return change.New(s, f.Founding)
}

// printInvitation invites a peer.
func printInvitation(o *options, s *config.Settings, name string, links []string) error {
	token, x, err := change.Invite(s, name, links)
	if err != nil {
		return err
	}
	for _, p := range x.Proposed {
		if len(p.Signed) < x.Needed && p.Change.Kind == network.Invite && p.Change.Peer == name {
			_, _ = fmt.Fprintf(o.stderr, "the token can be used once %d signers have signed: run `peerd network sign %s` at their sites\n", x.Needed, p.Hash)
		}
	}
	return o.print(invitationDoc{token}, func(w io.Writer) { _, _ = fmt.Fprintln(w, token) })
}

type invitationDoc struct {
	Token string `json:"token"`
}
