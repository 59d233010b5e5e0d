package node_test

import (
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// TestUnclippedRewardsHaveTheNoiseOfClippedOnes: they cost as much more as their range is wider,
// and the charge is what the noise needs. Without noise the sum is exact.
func TestUnclippedRewardsHaveTheNoiseOfClippedOnes(t *testing.T) {
	charge := func(p node.Privacy) dp.Charge {
		curator, err := dp.NewCurator(dp.Lockstep, account.Unlimited, dp.NewSeededSource([32]byte{1}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = curator.Open(p.Streams(bandit.Statistic{Parts: 2, Dim: 1}, protocol.Cadence{})); err != nil {
			t.Fatal(err)
		}
		return curator.TakeCharges()[0]
	}
	p := node.Privacy{Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, RecordsPerUser: 1, Horizon: 100}
	clipped := charge(p)
	p.Unclipped = true
	wide := charge(p)
	if wide.Scale != clipped.Scale || wide.Loss.Pure != 2*node.Reach*clipped.Loss.Pure || wide.Check() != nil {
		t.Errorf("unclipped %+v, clipped %+v, %v", wide, clipped, wide.Check())
	}

	p.Mechanism, p.Budget = dp.None, account.Unlimited
	curator, err := dp.NewCurator(dp.Lockstep, account.Unlimited, dp.NewSeededSource([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = curator.Open(p.Streams(bandit.Statistic{Parts: 2, Dim: 1}, protocol.Cadence{})); err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{-2.5, 6} {
		if err = curator.Add(0, []float64{x}); err != nil {
			t.Fatal(err)
		}
	}
	leaf, err := curator.Leaf(0, 1)
	if err != nil || leaf.Sum.At(0) != 3.5 {
		t.Errorf("-2.5 and 6 are %v, %v", leaf.Sum.At(0), err)
	}
}

// TestUnclippedRewardsAreForLockstep: rewards of people are clipped, and so are rewards with
// Gaussian noise, since its cost is not known otherwise.
func TestUnclippedRewardsAreForLockstep(t *testing.T) {
	for _, c := range []struct {
		mode      dp.Mode
		mechanism dp.Mechanism
		ok        bool
	}{{dp.Lockstep, dp.Tree, true}, {dp.Private, dp.Tree, false}, {dp.Lockstep, dp.TreeGaussian, false}} {
		s := spec(10)
		s.Privacy.Unclipped, s.Privacy.Mode, s.Privacy.Mechanism, s.Privacy.Budget.Delta = true, c.mode, c.mechanism, 1e12
		_, err := s.Agent(node.PeerConfig{Seed: node.FreshSeed(), Noise: dp.NewSecureSource()})
		if refused := err != nil && strings.Contains(err.Error(), "unclipped"); refused == c.ok {
			t.Errorf("mode %v with %v: %v", c.mode, c.mechanism, err)
		}
	}
}
