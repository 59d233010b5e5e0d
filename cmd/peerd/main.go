// Command peerd is a peer that learns with others which action pays, without any
// reward leaving it unguarded.
//
// Settings come from flags, the environment, a file and defaults, in that order;
// docs/configuration.md lists them. People's text about trouble goes to stderr;
// with --json everything, trouble included, is a JSON document on stdout. The
// exit code says why a run ended; docs/exit-codes.md lists them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

func main() {
	if holdsRewards(os.Args[1:]) {
		if err := hideArguments(); err != nil {
			_, _ = fmt.Fprintf(os.Stderr, "peerd: %v\n", err)
			os.Exit(int(exitUnexpected))
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
