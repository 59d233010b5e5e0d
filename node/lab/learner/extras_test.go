package learner

import _ "peerd.dev/internal/extra/features" // what tests find in tables
