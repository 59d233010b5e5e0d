package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/terminal"
)

// Execute runs a command line and returns the exit code.
func Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := &App{Stdout: stdout, Stderr: stderr}
	root := NewRoot(o)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return int(ExitOK)
	}
	if shown := new(ShownError); errors.As(err, &shown) {
		return int(shown.Code)
	}
	if o.JSON = o.JSON || slices.Contains(args, "--json"); o.JSON {
		if terminal.PrintJSON(terminal.Lines(stdout), trouble(err)) == nil {
			return int(CodeOf(err))
		}
	}
	_, _ = fmt.Fprintf(terminal.Lines(stderr), "peerd: %s\n", strings.ReplaceAll(err.Error(), "\n\t", "\n  ")) // of a suggestion
	if CodeOf(err) == ExitUsage {
		_, _ = fmt.Fprintf(stderr, "`%s --help` shows how it is used\n", cmd.CommandPath())
	}
	return int(CodeOf(err))
}

// A troubleDoc is an error as a JSON document.
type troubleDoc struct {
	Code     Code             `json:"code"`
	Message  string           `json:"message"`
	Problems []config.Problem `json:"problems,omitempty"`
}

func trouble(err error) troubleDoc {
	doc := troubleDoc{Code: CodeOf(err), Message: err.Error()}
	var refused *config.Refusal
	if errors.As(err, &refused) {
		doc.Message, doc.Problems = refused.Summary(), refused.Problems
	}
	return doc
}

// NewRoot returns the command peerd with all its subcommands.
func NewRoot(o *App) *cobra.Command {
	root := &cobra.Command{
		Use:   "peerd",
		Short: "Learn with others which action pays, in private",
		Long: `peerd is a peer that learns, together with others, which action pays. Rewards stay
where they are; what leaves carries noise that a privacy budget pays for.

Settings come from --set, from the environment (privacy.epsilon is
PEERD_PRIVACY_EPSILON), from a file and from defaults, in that order.`,
		Example: `  peerd init --dir hospital-a
  peerd config check hospital-a/peerd.yaml
  peerd topology ring 'regular(4)' -n 20`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          Help,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { // before anything is read from the folder
			if o.Dir == "" || slices.Contains([]string{"init", "join"}, cmd.Name()) {
				return nil
			}
			return Coded(daemon.FindDir(o.Dir))
		},
	}
	root.SetOut(o.Stdout)
	root.SetErr(o.Stderr)
	o.Flags(root.PersistentFlags())
	root.AddCommand(
		newInit(o), newJoin(o), newNetwork(o), newID(o), newRun(o), newRecover(o),
		newExitCodes(),
	)
	AddExtras(root, o)
	group(root)
	codeErrors(root)
	return root
}

// group puts the commands of a root, also those of extras, in the order in which a site needs them.
func group(root *cobra.Command) {
	for _, g := range []string{
		"Begin: init network join testnet page",
		"Operate: run status peers gain doctor health backup recover config decisions id",
		"Trust: privacy ledger audit",
		"Research: experiment joining topology",
	} {
		names := strings.Fields(g)
		root.AddGroup(&cobra.Group{ID: names[0], Title: names[0]})
		for _, c := range root.Commands() {
			if slices.Contains(names, c.Name()) {
				c.GroupID = names[0]
			}
		}
	}
}

// codeErrors adds exit codes to the errors of commands, so that an error without a code is about
// the command line.
func codeErrors(cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error { return Coded(run(cmd, args)) }
	}
	for _, c := range cmd.Commands() {
		codeErrors(c)
	}
}
