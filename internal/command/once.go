package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
)

// onceOnly adds a flag to a command that ends with a file in the peer's folder: where the file is, the command does nothing.
// Container platforms run such commands before each start of a peer.
func onceOnly(o *App, c *cobra.Command, file string) *cobra.Command {
	once := c.Flags().Bool("once", false, "do nothing, and succeed, if "+file+" is in the folder already")
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if !*once {
			return run(cmd, args)
		}
		dir, err := o.Folder()
		if err != nil {
			return err
		}
		if _, err = os.Stat(filepath.Join(dir, file)); err != nil {
			return run(cmd, args)
		}
		doc := keptDoc{Dir: dir, Kept: file}
		return o.Print(doc, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s has its %s: nothing to do\n", doc.Dir, doc.Kept) })
	}
	return c
}

// A keptDoc is the result of a command that had nothing to do.
type keptDoc struct {
	Dir  string `json:"dir"`
	Kept string `json:"kept"`
}

// tokenOf returns a token that is given as itself, as @FILE with its file, or as - on the standard input: other users see arguments. A
// token is one line there, so that an answer can follow.
func tokenOf(text string, in *bufio.Reader) (string, error) {
	token, err := []byte(text), error(nil)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		token, err = os.ReadFile(file)
	} else if text == "-" {
		if token, err = in.ReadBytes('\n'); len(token) > 0 { // the last line may have no end
			err = nil
		}
	}
	if err != nil {
		return "", config.Failf(config.ErrUsage, "no token: %w", err)
	}
	return string(bytes.TrimSpace(token)), nil
}
