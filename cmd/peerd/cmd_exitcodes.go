package main

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
	for _, m := range exitMeanings() {
		fmt.Fprintf(&b, "  %3d  %s\n       %s\n", m.Code, m.Meaning, m.Remedy)
	}
	return b.String()
}

// exitCodesPage returns docs/exit-codes.md.
func exitCodesPage() string {
	var b strings.Builder
	b.WriteString("# Exit codes\n\n<!-- Written by: go test ./cmd/peerd -run TestConfigurationPage -update -->\n\n" +
		"Also `peerd help exit-codes`. Text for people goes to standard error. With `--json` an error is a document\n" +
		"on standard output: `code`, `message` and, for a configuration, `problems` with `key`, `value` and `reason`.\n\n" +
		"| code | meaning | what to do |\n|---|---|---|\n")
	for _, m := range exitMeanings() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", m.Code, m.Meaning, m.Remedy)
	}
	return b.String()
}
