// Package page is the extra that shows a running peer in a browser.
package page

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"peerd.dev/internal/browser"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
	"peerd.dev/node/api/page"
)

func init() {
	daemon.NewPage = func(p *daemon.Daemon, log *slog.Logger) api.Page { return page.New(p, log) }
	command.Register("", newCommand)
}

func newCommand(o *command.App) *cobra.Command {
	stay := false
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Open the page of the running peer of a folder in a browser",
		Long: `Open the page of the running peer of a folder in a browser, or print its address where there is none:
whether the peer is well, what it promises, what has left, its network, and what it has learned. The page
is read-only. It shows no decision and no reward, except in the view Inside of a site that keeps decisions.

The link works once, within a minute; it opens the page for 12 hours, or until the peer restarts. Without
api.listen this command itself answers at a free port of this machine, until it is interrupted (Ctrl-C).
From another machine, forward the port of the link first: ssh -L 8470:127.0.0.1:8470 HOST`,
		Example: "  peerd page --dir hospital-a\n  peerd page --dir hospital-a --print",
		RunE: command.Run(func(ctx context.Context) error {
			c, err := o.Load()
			if err != nil {
				return err
			}
			var link api.PageLink
			if err = api.Post(ctx, c.Dir, "/v1/page-link", &link); err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			var l net.Listener
			below := "/" + rand.Text()
			if strings.HasPrefix(link.URL, api.PagePrefix) { // the peer has no address
				if l, err = new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
					return err
				}
				defer func() { _ = l.Close() }()
				link.URL = "http://" + l.Addr().String() + below + link.URL
			}
			opened := !stay && !o.JSON && browser.Open(ctx, c.Dir, link.URL)
			err = o.Print(link, func(w io.Writer) {
				if browser.Write(w, link.URL, opened); l != nil {
					_, _ = io.WriteString(w, "The page is there until this command ends: Ctrl-C.\n")
				}
			})
			if err != nil || l == nil {
				return err
			}
			return forward(ctx, c.Dir, l, below)
		}),
	}
	cmd.Flags().BoolVar(&stay, "print", false, "print the address only")
	return o.TakesFile(cmd)
}
