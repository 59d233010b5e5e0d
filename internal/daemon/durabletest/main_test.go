//go:build unix

// Package durabletest has tests of the daemon as processes that are killed, stopped, copied, restored and starved.
package durabletest

import (
	"flag"
	"os"
	"testing"

	_ "peerd.dev/internal/extra/explain" // a view of the page
	_ "peerd.dev/internal/extra/lab"     // simulated worlds
	_ "peerd.dev/internal/extra/page"    // the page itself
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
