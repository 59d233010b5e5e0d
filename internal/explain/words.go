package explain

import "peerd.dev/dp"

// proofOf returns where a mechanism is proved private.
func proofOf(m dp.Mechanism) string { return "docs/proofs/" + m.Describe().Family + ".md" }
