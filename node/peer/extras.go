package peer

// What a peer inside a program has besides the core, as the daemon has it.
import (
	_ "peerd.dev/internal/extra/explain"  // GET /v1/privacy
	_ "peerd.dev/internal/extra/features" // learners and protocols by features
	_ "peerd.dev/internal/extra/gain"     // what joining has gained, in a status
	_ "peerd.dev/internal/extra/page"     // the page
	_ "peerd.dev/internal/extra/running"  // mechanisms for running sums
)
