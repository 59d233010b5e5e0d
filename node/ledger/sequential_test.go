package ledger

import (
	"errors"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

// TestReleasesPayOneByOne: a sequential charge costs nothing until something is released,
// and then so much every time; leaves that a gap gives up cost the same.
func TestReleasesPayOneByOne(t *testing.T) {
	for _, c := range []struct {
		mechanism dp.Mechanism
		epsilon   dp.Cost
		delta     float64
		releases  uint64 // that the budget pays for
	}{
		{dp.EachLaplace, dp.Nano / 4, 0, 4},
		{dp.EachGaussian, dp.Nano / 2, 1e-6, 3}, // μ grows as the root, and ε faster than that
	} {
		budget := account.Budget{Epsilon: dp.Nano, Delta: account.Delta(c.delta * 1e18)}
		curator, err := dp.NewCurator(dp.Lockstep, budget, dp.NewSeededSource([32]byte{1}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := curator.Open(dp.Spec{
			What: "means", Streams: 1, Dim: 1, Hi: 1, Leaves: 100, RecordsPerUser: 1,
			Mechanism: c.mechanism, Sequential: true, Epsilon: c.epsilon, Delta: c.delta,
		}); err != nil {
			t.Fatal(err)
		}
		open := Opened(curator.TakeCharges()[0])
		fresh := func() *Verifier {
			v := NewVerifier()
			v.genesis.Budget = budget
			if err := v.openStreams(open); err != nil || v.charged != (account.Loss{}) {
				t.Fatalf("%v: %v, charged %v", c.mechanism, err, v.charged)
			}
			return v
		}
		v := fresh()
		for k := uint64(1); k <= c.releases; k++ {
			if _, err := curator.Leaf(0, k); err != nil {
				t.Fatal(err)
			}
			if err := v.release(Released(k, curator.TakeDrawn()[0])); err != nil || v.charged != curator.Spent() {
				t.Fatalf("%v, leaf %d: %v, charged %v, spent %v", c.mechanism, k, err, v.charged, curator.Spent())
			}
		}
		next := &Release{From: c.releases, To: c.releases + 1, Counts: []uint64{0}, Values: []int64{0}, Exponent: -20, Noise: dp.Noise{Law: c.mechanism.Law(), Scale: open.Scale, VarianceUnits: dp.VarianceScale}}
		if err := v.release(next); !errors.Is(err, ErrBudget) {
			t.Errorf("%v: one release more: %v", c.mechanism, err)
		}
		if _, err := curator.Leaf(0, c.releases+1); err == nil {
			t.Errorf("%v: the curator pays for more than %d", c.mechanism, c.releases)
		}

		gap := fresh()
		if err := gap.gap(2, 0, &Gap{Incarnation: 1, Margin: 1, Next: []uint64{c.releases + 1}}); err != nil || gap.charged != v.charged {
			t.Errorf("%v: %v, charged %v, want %v", c.mechanism, err, gap.charged, v.charged)
		}
		if err := fresh().gap(2, 0, &Gap{Incarnation: 1, Margin: 1, Next: []uint64{c.releases + 2}}); !errors.Is(err, ErrBudget) {
			t.Errorf("%v: a gap of one more: %v", c.mechanism, err)
		}
	}
}

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
			return v.openStreams(Opened(c))
		}
		if err := open(dp.Nano); err != nil {
			t.Fatalf("%v: the budget: %v", m, err)
		}
		if err := open(dp.Nano / 2); !errors.Is(err, ErrBudget) {
			t.Errorf("%v: half as much again: %v, charged %v", m, err, v.charged)
		}
	}
}
