package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal"
)

// options are the flags that all commands share, and where their output goes.
type options struct {
	config string
	dir    string
	set    []string
	json   bool
	stdout io.Writer // results
	stderr io.Writer // errors, logs, progress
}

// register adds the flags.
func (o *options) register(flags *pflag.FlagSet) {
	flags.StringVarP(&o.config, "config", "c", "", "configuration file, as the argument FILE is (default peerd.yaml in the peer's folder, if it exists)")
	flags.StringVar(&o.dir, "dir", "", "the peer's folder, short for --set dir=")
	flags.StringArrayVar(&o.set, "set", nil, "key=value for one setting, before the environment and the file; may be repeated")
	flags.BoolVar(&o.json, "json", false, "print results and errors as JSON documents on standard output")
}

// load returns the validated configuration that the flags select.
func (o *options) load() (*config.Config, error) {
	file, set, err := o.sources()
	if err != nil {
		return nil, err
	}
	return plan.Schema().Load(file, set)
}

// read returns the configuration with only keys and types checked, for commands that do not run a
// peer.
func (o *options) read() (*config.Config, error) {
	file, set, err := o.sources()
	if err != nil {
		return nil, err
	}
	c, problems, err := plan.Schema().Read(file, set)
	if err != nil {
		return nil, err
	}
	return c, c.Refuse(problems)
}

// sources returns the file to read, "" for none, and everything that --set gives.
func (o *options) sources() (file string, set []string, err error) {
	set = o.set
	if o.dir != "" {
		set = append(set[:len(set):len(set)], "dir="+o.dir)
	}
	if o.config != "" {
		return o.config, set, nil
	}
	c, _, err := plan.Schema().Read("", set)
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(c.Dir, config.FileName)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "", set, nil
	}
	return file, set, nil
}

// takesFile makes a command that reads the configuration accept its file as an argument as well
// as by --config.
func (o *options) takesFile(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.Use += " [FILE]"
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			if o.config != "" && filepath.Clean(o.config) != filepath.Clean(args[0]) {
				return config.Failf(config.ErrUsage, "two configurations, %s and %s; want one", o.config, args[0])
			}
			o.config = args[0]
		}
		return run(cmd, nil)
	}
	return cmd
}

// run turns a function without arguments into a command's function.
func (o *options) run(f func(ctx context.Context) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error { return f(cmd.Context()) }
}

// loaded is run for a function that takes the validated configuration.
func (o *options) loaded(f func(ctx context.Context, c *config.Config) error) func(*cobra.Command, []string) error {
	return o.run(func(ctx context.Context) error {
		c, err := o.load()
		if err != nil {
			return err
		}
		return f(ctx, c)
	})
}

// print writes a result: doc as JSON with --json, otherwise what text writes. Others chose names in it, so no control
// character gets through.
func (o *options) print(doc any, text func(w io.Writer)) error {
	w := terminal.Lines(o.stdout)
	if o.json {
		return terminal.PrintJSON(w, doc)
	}
	text(w)
	return nil
}
