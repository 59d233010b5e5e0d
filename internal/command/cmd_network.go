package command

import (
	"context"
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
	args       cobra.PositionalArgs
	flags      string       // their names
	kind       network.Kind // of the change that it proposes; empty if it does something else
	do         func(ctx context.Context, s *config.Settings, f *networkFlags, args []string) (*change.Overview, error)
}

// networkFlags are the flags of all of them.
type networkFlags struct {
	change.Founding
	change.Signing
	start  string
	links  []string
	valid  time.Duration
	needed int
}

// networkCommands lists them. peerd network invite prints a token, and is apart.
func networkCommands() []networkCommand {
	none, one, two := cobra.NoArgs, cobra.ExactArgs(1), cobra.ExactArgs(2)
	return []networkCommand{
		{"new", "Begin a network document whose first peer is this one, which signs versions", none, "name peer start addr", "", found},
		{"show", "Show the network document, and what is proposed as its next version", none, "", "", func(_ context.Context, s *config.Settings, _ *networkFlags, _ []string) (*change.Overview, error) {
			return change.Show(s)
		}},
		{"remove NAME", "End a peer's part in the network permanently; a peer can remove itself", one, "again without", "", func(ctx context.Context, s *config.Settings, f *networkFlags, args []string) (*change.Overview, error) {
			return change.Remove(ctx, s, args[0], f.Signing)
		}},
		{"move", "Set the addresses of this peer", none, "addr", "", func(_ context.Context, s *config.Settings, f *networkFlags, _ []string) (*change.Overview, error) {
			return change.Move(s, f.Addrs)
		}},
		{"rotate", "Give this peer a new key; it keeps what it learned and paid", none, "", "", func(_ context.Context, s *config.Settings, _ *networkFlags, _ []string) (*change.Overview, error) {
			return change.Rotate(s)
		}},
		{"extend ACTION", "Add an action to choose, for which spare_arms has room", one, "again without", network.Extend, nil},
		{"retire ACTION", "End the choices of an action permanently; rewards under way are still learned from", one, "again without", network.Retire, nil},
		{"link PEER PEER", "Link two peers", two, "again without", network.Link, nil},
		{"unlink PEER PEER", "End the link of two peers", two, "again without", network.Unlink, nil},
		{"set KEY VALUE", "Set a setting of the protocol that all peers share, such as protocol.phases.pull", two, "again without", network.Set, nil},
		{"admins NAME...", "Set which peers sign versions", cobra.MinimumNArgs(1), "needed again without", network.Govern, nil},
		{"sign HASH", "Sign the version that has this hash in what `network show` prints", one, "again without", "", func(ctx context.Context, s *config.Settings, f *networkFlags, args []string) (*change.Overview, error) {
			return change.Sign(ctx, s, args[0], f.Signing)
		}},
	}
}

// wanted returns a change of a kind.
func wanted(kind network.Kind, f *networkFlags, args []string) network.Change {
	c := network.Change{Kind: kind, Needed: f.needed}
	switch kind {
	case network.Link, network.Unlink:
		c.Peer, c.Links = args[0], args[1:]
	case network.Set:
		c.Setting = &network.Setting{Key: args[0], Value: args[1]}
	case network.Govern:
		for _, name := range args {
			c.Signers = append(c.Signers, network.Signer{Name: name})
		}
	default:
		c.Arm = args[0]
	}
	return c
}

func newNetwork(o *App) *cobra.Command {
	all := &cobra.Command{
		Use: "network", Short: "Begin a signed network document, and change it while its peers run", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		Long: `A signed network document replaces the network file. What concerns all is in its versions: each differs
by one change from the one before, and the peers that sign versions have signed it, at first the
founder alone. What concerns one peer, its addresses, its key and its leaving, that peer signs itself.
The peers spread both; nothing is copied, and nothing is restarted.

These commands act on the folder given by --dir. If its peer runs, it notices them within a second.`,
		Example: "  peerd network new --dir hospital-a --name clinics --peer hospital-a --addr /ip4/192.0.2.1/tcp/8471\n" +
			"  peerd network invite hospital-b --dir hospital-a\n  peerd network show --dir hospital-a",
	}
	invite := networkCommand{use: "invite NAME", short: "Make a place for a new peer, or make it again, and print the token with which it joins", args: cobra.ExactArgs(1), flags: "links valid again without"}
	invite.do = func(ctx context.Context, s *config.Settings, f *networkFlags, args []string) (*change.Overview, error) {
		return nil, printInvitation(ctx, o, s, args[0], f)
	}
	for _, n := range append(networkCommands(), invite) {
		c := n.command(o)
		if n.use == "new" {
			c = onceOnly(o, c, config.DocumentName)
		}
		all.AddCommand(c)
	}
	return all
}

// command returns the command for people.
func (n networkCommand) command(o *App) *cobra.Command {
	var f networkFlags
	c := &cobra.Command{Use: n.use, Short: n.short, Example: "  peerd network " + n.use + " --dir hospital-a", Args: n.args, RunE: func(cmd *cobra.Command, args []string) error {
		c, err := o.Load()
		if err != nil {
			return err
		}
		var x *change.Overview
		if n.kind != "" {
			x, err = change.Propose(cmd.Context(), &c.Settings, wanted(n.kind, &f, args), f.Signing)
			if err == nil && n.kind == network.Extend {
				x.Notes = change.ExtendNotes(args[0])
			}
		} else {
			x, err = n.do(cmd.Context(), &c.Settings, &f, args)
		}
		if err == nil && x != nil {
			err = o.Print(x, x.Write)
		}
		if d, none := daemon.AskStatus(cmd.Context(), c.Dir); none == nil && d.DocumentNotice != "" {
			_, _ = fmt.Fprintln(o.Stderr, "NOTICE: "+d.DocumentNotice)
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
	case "addr":
		flags.StringSliceVar(&f.Addrs, name, nil, "address at which others dial the peer; may be repeated")
	case "links":
		flags.StringSliceVar(&f.links, name, nil, "names of the new peer's neighbours (default up to four that have the fewest links)")
	case "valid":
		flags.DurationVar(&f.valid, name, 7*24*time.Hour, "how long the token can be used, by the clock of the machine that joins")
	case "needed":
		flags.IntVar(&f.needed, name, 0, "how many of them have to sign a version (default more than half)")
	case "again":
		flags.BoolVar(&f.Again, name, false, "sign although this peer has signed another version with this number: if other signers do the same, both become versions and the network splits. For operators that have agreed to drop the other one")
	case "without":
		flags.StringSliceVar(&f.Without, name, nil, "names of peers that this one need not hear before it signs: they are lost, or this folder was not restored from a backup")
	}
}

// found begins a document.
func found(_ context.Context, s *config.Settings, f *networkFlags, _ []string) (x *change.Overview, err error) {
	if f.start != "" {
		if f.Start, err = time.Parse(time.RFC3339, f.start); err != nil {
			return nil, config.Failf(config.ErrUsage, "--start: %w", err)
		}
	}
	return change.New(s, f.Founding)
}

// printInvitation invites a peer.
func printInvitation(ctx context.Context, o *App, s *config.Settings, name string, f *networkFlags) error {
	if f.valid <= 0 {
		return config.Failf(config.ErrUsage, "--valid %v: want a duration over 0, such as 168h", f.valid)
	}
	v, x, err := change.Invite(ctx, s, name, f.links, f.valid, f.Signing)
	if err != nil {
		return err
	}
	for _, p := range x.Proposed {
		if p.Change.Kind == network.Invite && p.Change.Peer == name {
			_, _ = fmt.Fprintf(o.Stderr, "the token can be used once %d signers have signed: run `peerd network sign %s` at %s\n", x.Needed, p.Hash, strings.Join(p.Unsigned, " or "))
		}
	}
	_, _ = fmt.Fprintf(o.Stderr, `hand this token over like a password: it joins one machine, once, as %s, until %s,
and dials %s.
Lost, or that address is wrong (peerd network move --addr sets it): run this again, and this token is void.
`, name, v.Until.Format("2006-01-02 15:04:05 MST"), strings.Join(v.With.Addrs, ", "))
	return o.Print(invitationDoc{v.Token()}, func(w io.Writer) { _, _ = fmt.Fprintln(w, v.Token()) })
}

type invitationDoc struct {
	Token string `json:"token"`
}
