package command

import (
	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
)

// Schema returns what a configuration may set: a site's settings, or what an extra has put in the place of this function.
var Schema = config.Site //nolint:gochecknoglobals // an extra sets it in its init

// Losing returns the settings of a valid configuration with which regret is linear. An extra replaces it.
var Losing = func(*config.Settings) []config.Losing { return nil } //nolint:gochecknoglobals // an extra sets it in its init

// Lockstep returns what opens peers in lockstep, with a folder for their traces or "", after it has refused what is simulated alone. It
// is nil without the laboratory.
var Lockstep func(s *config.Settings, trace string) (daemon.Lockstep, error) //nolint:gochecknoglobals // an extra sets it in its init

//nolint:gochecknoglobals // extras add to it in their init
var extras struct {
	commands []addition
	errors   []func(error) (Code, error)
}

// An addition is a command of an extra, and the command that has it as a subcommand, "" for the root.
type addition struct {
	parent string
	create func(*App) *cobra.Command
}

// Register adds a command of an extra below a parent, "" for the root. An extra calls it in its init, and one line of
// cmd/peerd/extras.go imports the extra.
func Register(parent string, create func(*App) *cobra.Command) {
	extras.commands = append(extras.commands, addition{parent, create})
}

// RegisterErrors adds a function that returns the code of an extra's error and what to say, or nil for other errors.
func RegisterErrors(of func(error) (Code, error)) { extras.errors = append(extras.errors, of) }

// AddExtras adds the commands of extras to the root. A parent that is in no extra of this program becomes a command that only has
// subcommands.
func AddExtras(root *cobra.Command, a *App) {
	parents := make(map[string]*cobra.Command)
	for _, c := range root.Commands() {
		parents[c.Name()] = c
	}
	for _, x := range extras.commands {
		if x.parent == "" {
			c := x.create(a)
			root.AddCommand(c)
			parents[c.Name()] = c
		}
	}
	for _, x := range extras.commands {
		if x.parent == "" {
			continue
		}
		c := parents[x.parent]
		if c == nil {
			c = &cobra.Command{Use: x.parent, Short: "Commands of extras", Args: cobra.NoArgs, RunE: Help}
			root.AddCommand(c)
			parents[x.parent] = c
		}
		c.AddCommand(x.create(a))
	}
}

// Help runs a command that only has subcommands.
func Help(cmd *cobra.Command, _ []string) error { return cmd.Help() }
