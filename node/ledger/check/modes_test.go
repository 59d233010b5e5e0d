package check

import (
	"errors"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node/ledger"
)

// TestChargesOfEveryModeAddUp: two charges that are paid when their streams open need a budget
// for both, whatever their mode.
func TestChargesOfEveryModeAddUp(t *testing.T) {
	for _, m := range []dp.Mechanism{dp.Tree, dp.EachLaplace, dp.EachGaussian, dp.BLT} {
		budget := account.Budget{Epsilon: dp.Nano, Delta: 1e12}
		v := NewVerifier()
		v.genesis.Budget = budget
		open := func(epsilon dp.Cost) error {
			c, err := dp.Spec{
				What: "sums", Streams: 2, Dim: 1, Hi: 1, Leaves: 8, RecordsPerUser: 1, Mechanism: m, Epsilon: epsilon, Delta: budget.Delta.Float(),
			}.Charge()
			if err != nil {
				t.Fatal(err)
			}
			c.Stream = dp.StreamID(len(v.streams))
			return v.openStreams(ledger.Opened(c))
		}
		if err := open(dp.Nano); err != nil {
			t.Fatalf("%v: the budget: %v", m, err)
		}
		if err := open(dp.Nano / 2); !errors.Is(err, ErrBudget) {
			t.Errorf("%v: half as much again: %v, charged %v", m, err, v.charged)
		}
	}
}
