//go:build unix && auditbug

package main

import (
	"os"

	"peerd.dev/dp"
)

// A process of a lab has the fault that its environment names.
func init() { dp.Bug = os.Getenv("PEERD_BUG") } //nolint:gochecknoinits // before the command runs
