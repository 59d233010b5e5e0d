package node_test

import (
	"errors"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node"
)

// TestOnlyLockstepPaysForAmendedStreams: streams that cost more than the budget are opened in
// lockstep; elsewhere the curator refuses them. Streams that cost less are opened everywhere.
func TestOnlyLockstepPaysForAmendedStreams(t *testing.T) {
	for _, mode := range []dp.Mode{dp.Lockstep, dp.Private} {
		for _, factor := range []float64{.5, 1, 2} {
			s := spec(10)
			s.Privacy.Mode = mode
			s.Privacy.Amend = func(s dp.Spec) dp.Spec {
				s.Epsilon = dp.Cost(factor * float64(s.Epsilon))
				return s
			}
			_, err := s.Agent(node.PeerConfig{Seed: node.FreshSeed(), Noise: dp.NewSecureSource()})
			if refused := errors.As(err, new(*dp.BudgetError)); refused != (mode == dp.Private && factor > 1) || !refused && err != nil {
				t.Errorf("mode %v, %v of the budget: %v", mode, factor, err)
			}
		}
	}
}
