package main

// The extras of this program. Each is one line, and without it the program is built and runs without what the extra has. A
// release does without the lines of extras_build.go, which link many modules.
import (
	_ "peerd.dev/internal/extra/audit"      // peerd audit
	_ "peerd.dev/internal/extra/backup"     // peerd backup, GET /v1/backup
	_ "peerd.dev/internal/extra/bundle"     // peerd audit bundle, peerd audit verify
	_ "peerd.dev/internal/extra/claims"     // peerd experiment claims
	_ "peerd.dev/internal/extra/doctor"     // peerd doctor
	_ "peerd.dev/internal/extra/evaluation" // peerd decisions evaluate
	_ "peerd.dev/internal/extra/explain"    // peerd privacy explain, GET /v1/privacy, warnings of peerd config check
	_ "peerd.dev/internal/extra/export"     // peerd decisions export
	_ "peerd.dev/internal/extra/features"   // learners linucb and personalized-linear, protocols batch and local
	_ "peerd.dev/internal/extra/gain"       // peerd gain, and a line of peerd status
	_ "peerd.dev/internal/extra/health"     // peerd health
	_ "peerd.dev/internal/extra/lab"        // peerd experiment, testnet, topology and joining, simulated worlds, mode lockstep
	_ "peerd.dev/internal/extra/ledger"     // peerd ledger
	_ "peerd.dev/internal/extra/metrics"    // GET /metrics
	_ "peerd.dev/internal/extra/page"       // peerd page, and the page itself
	_ "peerd.dev/internal/extra/receipts"   // what neighbours sign about ledgers, GET /v1/receipts
	_ "peerd.dev/internal/extra/replay"     // peerd decisions import
	_ "peerd.dev/internal/extra/running"    // mechanisms tree, hybrid, kary, sqrt and blt for running sums, which protocol rows carries, and none
	_ "peerd.dev/internal/extra/settings"   // peerd config check, peerd config show
	_ "peerd.dev/internal/extra/status"     // peerd status, peerd peers
	_ "peerd.dev/internal/extra/tables"     // actions that are drawn while the peer is down, GET /v1/table
	_ "peerd.dev/internal/extra/version"    // peerd version
)
