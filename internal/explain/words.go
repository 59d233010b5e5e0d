package explain

import "peerd.dev/dp"

// proofOf returns the page that proves a mechanism private.
func proofOf(m dp.Mechanism) string { return "docs/proofs/" + m.Describe().Family + ".md" }
