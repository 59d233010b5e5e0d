// Command peerd is a peer that learns together with others which action pays, without any reward
// leaving it unprotected.
//
// Settings come from flags, the environment, a file and defaults, in that order;
// docs/configuration.md lists them. Errors go to stderr as text; with --json everything,
// including errors, is a JSON document on stdout. The exit code says why a run ended;
// docs/exit-codes.md lists them.
package main

import "peerd.dev/internal/command"

func main() { command.Main() }
