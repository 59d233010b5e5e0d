package claims

// What figures name.
import (
	_ "peerd.dev/internal/extra/features"
	_ "peerd.dev/internal/extra/running"
)
