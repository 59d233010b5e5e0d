package check

import _ "peerd.dev/internal/extra/running" // what tests find in tables
