package api_test

import _ "peerd.dev/internal/extra/metrics" // which the tests of this package see
