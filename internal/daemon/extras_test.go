package daemon_test

import (
	_ "peerd.dev/internal/extra/features" // what tests find in tables
	_ "peerd.dev/internal/extra/gain"     // a status has it
	_ "peerd.dev/internal/extra/running"  // what tests find in tables
)
