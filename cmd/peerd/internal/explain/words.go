package explain

import (
	"strings"

	"peerd.dev/dp"
)

// family returns the name that a mechanism has with either law.
func family(m dp.Mechanism) string { return strings.TrimSuffix(m.String(), "-gaussian") }

// proofOf returns where a mechanism is proved private.
func proofOf(m dp.Mechanism) string { return "docs/proofs/" + family(m) + ".md" }

// mechanismWords says how running sums get their noise, by [family].
//
//nolint:gochecknoglobals // a table, never written
var mechanismWords = map[string]string{
	"tree":    "Over the releases stands a binary tree. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum is made of the nodes that cover it.",
	"honaker": "Over the releases stands a binary tree. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum is made of the nodes that cover it, each averaged with what the nodes below it say.",
	"hybrid":  "At every power of two the sum since the one before gets noise, drawn once; in between a binary tree that begins there adds what has come since, with the wider noise that its levels need.",
	"kary":    "Over the releases stands a tree whose nodes have k children each. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum adds nodes and takes others off, at most (k-1)/2 of a level.",
	"sqrt":    "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights are those of the square root of the matrix that adds up.",
	"blt":     "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights are sums of a few that decay, kept in as many buffers.",
}
