package peer

// What a peer inside a program has besides the core, as the daemon has it.
import (
	_ "peerd.dev/internal/extra/backup"   // GET /v1/backup
	_ "peerd.dev/internal/extra/explain"  // GET /v1/privacy
	_ "peerd.dev/internal/extra/features" // learners and protocols by features
	_ "peerd.dev/internal/extra/gain"     // what joining has gained, in a status
	_ "peerd.dev/internal/extra/metrics"  // GET /metrics
	_ "peerd.dev/internal/extra/page"     // the page
	_ "peerd.dev/internal/extra/receipts" // what neighbours sign about ledgers, GET /v1/receipts
	_ "peerd.dev/internal/extra/running"  // mechanisms for running sums
	_ "peerd.dev/internal/extra/tables"   // actions that are drawn while the peer is down, GET /v1/table
)
