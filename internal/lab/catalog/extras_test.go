package catalog

// What tests find in tables.
import (
	_ "peerd.dev/internal/extra/features"
	_ "peerd.dev/internal/extra/running"
)
