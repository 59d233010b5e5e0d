package command

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
	"peerd.dev/internal/terminal"
)

// An App has the flags that all commands share, and where their output goes.
type App struct {
	Config string
	Dir    string
	Set    []string
	JSON   bool
	Stdout io.Writer // results
	Stderr io.Writer // errors, logs, progress
}

// Flags adds the flags.
func (a *App) Flags(flags *pflag.FlagSet) {
	flags.StringVarP(&a.Config, "config", "c", "", "configuration file, as the argument FILE is (default peerd.yaml in the peer's folder, if it exists)")
	flags.StringVar(&a.Dir, "dir", "", "the peer's folder, short for --set dir=")
	flags.StringArrayVar(&a.Set, "set", nil, "key=value for one setting, before the environment and the file; may be repeated")
	flags.BoolVar(&a.JSON, "json", false, "print results and errors as JSON documents on standard output")
}

// Load returns the validated configuration that the flags select.
func (a *App) Load() (*config.Config, error) {
	file, set, err := a.Sources()
	if err != nil {
		return nil, err
	}
	return Schema().Load(file, set)
}

// Read returns the configuration with only keys and types checked, for commands that do not run a
// peer.
func (a *App) Read() (*config.Config, error) {
	file, set, err := a.Sources()
	if err != nil {
		return nil, err
	}
	c, problems, err := Schema().Read(file, set)
	if err != nil {
		return nil, err
	}
	return c, c.Refuse(problems)
}

// Sources returns the file to read, "" for none, and everything that --set gives.
func (a *App) Sources() (file string, set []string, err error) {
	set = a.Set
	if a.Dir != "" {
		set = append(set[:len(set):len(set)], "dir="+a.Dir)
	}
	if a.Config != "" {
		return a.Config, set, nil
	}
	c, _, err := Schema().Read("", set)
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(c.Dir, config.FileName)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "", set, nil
	}
	return file, set, nil
}

// Folder returns the folder that --dir, --set or the environment names. No file of the folder is read.
func (a *App) Folder() (string, error) {
	_, set, err := a.Sources()
	if err != nil {
		return "", err
	}
	c, _, err := Schema().Read(a.Config, set)
	if err != nil {
		return "", err
	}
	return c.Dir, nil
}

// TakesFile makes a command that reads the configuration accept its file as an argument as well
// as by --config.
func (a *App) TakesFile(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.Use += " [FILE]"
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			if a.Config != "" && filepath.Clean(a.Config) != filepath.Clean(args[0]) {
				return config.Failf(config.ErrUsage, "two configurations, %s and %s; want one", a.Config, args[0])
			}
			a.Config = args[0]
		}
		return run(cmd, nil)
	}
	return cmd
}

// Run turns a function without arguments into a command's function.
func Run(f func(ctx context.Context) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error { return f(cmd.Context()) }
}

// Loaded is run for a function that takes the validated configuration.
func (a *App) Loaded(f func(ctx context.Context, c *config.Config) error) func(*cobra.Command, []string) error {
	return Run(func(ctx context.Context) error {
		c, err := a.Load()
		if err != nil {
			return err
		}
		return f(ctx, c)
	})
}

// Print writes a result: doc as JSON with --json, otherwise what text writes. Others chose names in it, so no control
// character gets through.
func (a *App) Print(doc any, text func(w io.Writer)) error {
	w := terminal.Lines(a.Stdout)
	if a.JSON {
		return terminal.PrintJSON(w, doc)
	}
	text(w)
	return nil
}
