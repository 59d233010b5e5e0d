package plan_test

import _ "peerd.dev/internal/extra/features" // what tests find in tables
