//go:build unix

// Package durabletest has tests of the daemon as processes that are killed, stopped, copied, restored and starved.
package durabletest

import (
	"flag"
	"os"
	"testing"

	_ "peerd.dev/internal/extra/backup"   // copies of a running peer
	_ "peerd.dev/internal/extra/explain"  // a view of the page
	_ "peerd.dev/internal/extra/export"   // decisions, as a backup has them
	_ "peerd.dev/internal/extra/features" // learners by features
	_ "peerd.dev/internal/extra/lab"      // simulated worlds
	_ "peerd.dev/internal/extra/ledger"   // exports that verify
	_ "peerd.dev/internal/extra/metrics"  // GET /metrics
	_ "peerd.dev/internal/extra/page"     // the page itself
	_ "peerd.dev/internal/extra/receipts" // what neighbours sign
	_ "peerd.dev/internal/extra/running"  // protocol rows, and mechanisms of it
	_ "peerd.dev/internal/extra/settings" // config check
	_ "peerd.dev/internal/extra/tables"   // actions that are drawn while the peer is down
	"peerd.dev/internal/peerdtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(peerdtest.BeProcess) == "" {
		if flag.Parse(); testing.Short() {
			return // all of them start processes
		}
	}
	peerdtest.Main(m)
}
