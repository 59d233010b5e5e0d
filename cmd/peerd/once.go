package main

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
	"peerd.dev/internal/lab/plan"
)

// once adds a flag to a command that ends with a file in the peer's folder: where the file is, the command does nothing.
// Container platforms run such commands before each start of a peer.
func (o *options) once(c *cobra.Command, file string) *cobra.Command {
	once := c.Flags().Bool("once", false, "do nothing, and succeed, if "+file+" is in the folder already")
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if !*once {
			return run(cmd, args)
		}
		dir, err := o.folder()
		if err != nil {
			return err
		}
		if _, err = os.Stat(filepath.Join(dir, file)); err != nil {
			return run(cmd, args)
		}
		doc := keptDoc{Dir: dir, Kept: file}
		return o.print(doc, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s has its %s: nothing to do\n", doc.Dir, doc.Kept) })
	}
	return c
}

// A keptDoc is the result of a command that had nothing to do.
type keptDoc struct {
	Dir  string `json:"dir"`
	Kept string `json:"kept"`
}

// folder returns the folder that --dir, --set or the environment names. No file of the folder is read.
func (o *options) folder() (string, error) {
	_, set, err := o.sources()
	if err != nil {
		return "", err
	}
	c, _, err := plan.Schema().Read(o.config, set)
	if err != nil {
		return "", err
	}
	return c.Dir, nil
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
