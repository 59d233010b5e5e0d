package testnet

import (
	_ "peerd.dev/internal/extra/features" // what tests find in tables
	_ "peerd.dev/internal/extra/running"
)
