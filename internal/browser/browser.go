// Package browser opens a page in the browser of the user.
package browser

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
)

// Write says how a page opens at a link, which is also opening in the user's browser or not.
func Write(w io.Writer, link string, opened bool) {
	if opened {
		_, _ = fmt.Fprintln(w, "The page opens in your browser. If it does not, open within a minute:")
	} else {
		_, _ = fmt.Fprintln(w, "Open this in a browser on this machine, within a minute:")
	}
	_, _ = fmt.Fprintln(w, "  "+link)
}

// Open opens an address in the user's browser, and reports whether there seems to be one. Other users see the arguments of programs,
// and an address that lets its reader in: the browser is given a file in dir, which only this user reads.
func Open(ctx context.Context, dir, url string) bool {
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
