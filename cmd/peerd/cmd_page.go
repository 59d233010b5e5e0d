package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
)

func newPage(o *options) *cobra.Command {
	stay := false
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Open the page of the running peer of a folder in a browser",
		Long: `Open the page of the running peer of a folder in a browser, or print its address where there is none:
whether the peer is well, what it promises, what has left, its network, and what it has learned. The page
is read-only. It shows no decision and no reward, except in the view Inside of a site that keeps decisions.

The link works once, within a minute; it opens the page for 12 hours, or until the peer restarts. It is
of this machine (api.listen). From another one, forward the port first: ssh -L 8470:127.0.0.1:8470 HOST`,
		Example: "  peerd page --dir hospital-a\n  peerd page --dir hospital-a --print",
		RunE: o.run(func(ctx context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			link, err := daemon.AskPageLink(ctx, c.Dir)
			if err != nil {
				return config.Failf(config.ErrNetwork, "%w", err)
			}
			opened := !stay && !o.json && openBrowser(ctx, c.Dir, link.URL)
			return o.print(link, func(w io.Writer) { writePageLink(w, link, opened) })
		}),
	}
	cmd.Flags().BoolVar(&stay, "print", false, "print the address only")
	return o.takesFile(cmd)
}

func writePageLink(w io.Writer, link api.PageLink, opened bool) {
	if opened {
		_, _ = fmt.Fprintln(w, "The page opens in your browser. If it does not, open within a minute:")
	} else {
		_, _ = fmt.Fprintln(w, "Open this in a browser on this machine, within a minute:")
	}
	_, _ = fmt.Fprintln(w, "  "+link.URL)
}

// openBrowser opens an address in the user's browser, and reports whether there seems to be one. Other users see the arguments of programs,
// and an address that lets its reader in: the browser is given a file in dir, which only this user reads.
func openBrowser(ctx context.Context, dir, url string) bool {
	var name string
	var args []string
	switch {
	case runtime.GOOS == "darwin":
		name = "open"
	case runtime.GOOS == "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler"}
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		name = "xdg-open"
	default:
		return false
	}
	path, err := filepath.Abs(filepath.Join(dir, "page.html"))
	_ = os.Remove(path) // what stays there, such as another user's, is not written to
	f, wrong := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Join(err, wrong) != nil {
		return false
	}
	text := html.EscapeString(url)
	_, err = fmt.Fprintf(f, "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>peerd</title>\n<a href=\"%s\">The page</a>\n", text, text)
	return errors.Join(err, f.Close()) == nil && exec.CommandContext(context.WithoutCancel(ctx), name, append(args, path)...).Start() == nil
}
