// Command peerd is a peer that learns together with others which action pays, without any reward
// leaving it unprotected.
//
// Settings come from flags, the environment, a file and defaults, in that order;
// docs/configuration.md lists them. Errors go to stderr as text; with --json everything,
// including errors, is a JSON document on stdout. The exit code says why a run ended;
// docs/exit-codes.md lists them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"peerd.dev/internal/command"
)

func main() {
	if holdsRewards(os.Args[1:]) {
		if err := hideArguments(); err != nil {
			_, _ = fmt.Fprintf(os.Stderr, "peerd: %v\n", err)
			os.Exit(int(command.ExitUnexpected))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// holdsRewards reports whether a command line runs a peer.
func holdsRewards(args []string) bool {
	return slices.Contains(args, "run") && !slices.Contains(args, "experiment")
}
