package bandit

import (
	"testing"

	"peerd.dev/bandit/belief"
)

// TestAnOverflowIsNoEvidence: a site that claims 10^12 rewards under noise that hides them all says nothing against an arm.
func TestAnOverflowIsNoEvidence(t *testing.T) {
	var e evidence
	e.set(0, []belief.Site{{N: 1e12, GaussVar: 1 << 64}})
	s := 0.
	if got := e.exponent(.5, &s); got < 0 {
		t.Errorf("exponent %v, want at least 0", got)
	}
}
