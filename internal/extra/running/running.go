// Package running is the extra for running sums: the mechanisms of package dp/mechanism/running, and protocol rows, which carries
// what they release.
package running

import (
	_ "peerd.dev/dp/mechanism/running" // it registers them
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
	"peerd.dev/protocol/table"
)

func init() {
	table.Register(1, running.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1})
}
