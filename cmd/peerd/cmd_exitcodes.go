package main

import "github.com/spf13/cobra"

// newExitCodes returns a help topic: `peerd help exit-codes`.
func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long:  exitCodesText(),
	}
}
