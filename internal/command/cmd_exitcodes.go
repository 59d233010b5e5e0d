package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newExitCodes returns a help topic: `peerd help exit-codes`.
func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long:  exitCodesText(),
	}
}

// exitCodesText returns the table of exit codes for a terminal.
func exitCodesText() string {
	var b strings.Builder
	b.WriteString("Exit codes of peerd. With --json an error is also a document on standard output,\nwith its code, its message and, for a configuration, its problems.\n\n")
	for _, m := range Meanings() {
		fmt.Fprintf(&b, "  %3d  %s\n       %s\n", m.Code, m.Meaning, m.Remedy)
	}
	return b.String()
}
