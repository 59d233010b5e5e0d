package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// Main is the program: it runs the command line of this process and ends it with the exit code.
func Main() {
	if holdsRewards(os.Args[1:]) {
		if err := hideArguments(); err != nil {
			_, _ = fmt.Fprintf(os.Stderr, "peerd: %v\n", err)
			os.Exit(int(ExitUnexpected))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(Execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// holdsRewards reports whether a command line runs a peer.
func holdsRewards(args []string) bool {
	return slices.Contains(args, "run") && !slices.Contains(args, "experiment")
}
