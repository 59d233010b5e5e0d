package node_test

import (
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// generous always pays.
type generous struct{ bandit.World }

func (generous) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }

func (generous) Play(bandit.Arm) (bandit.Reward, error) { return 1, nil }

func spec(horizon uint64) node.Spec {
	return node.Spec{
		Arms: 2, Graph: [][]protocol.Peer{{1}, {0}}, Learner: learner.UCBParams{},
		Protocol: averaging.AverageParams{Consistency: averaging.Capped, Rate: .5, Patience: 4, F: 1},
		Privacy:  node.Privacy{Mode: dp.Private, Budget: account.Budget{Epsilon: dp.Nano}, RecordsPerUser: 1, Horizon: horizon},
	}
}

func agent(t *testing.T, s node.Spec) *node.Agent {
	t.Helper()
	a := require.Value(s.Agent(node.PeerConfig{
		Self: 0, Seed: node.FreshSeed(), Noise: dp.NewSecureSource(),
	}))(t)
	return a
}

func TestNothingOwnIsReleasedPastTheHorizon(t *testing.T) {
	s := spec(3)
	a := agent(t, s)
	drawn := 0
	for round := range protocol.Round(10) {
		require.Value(a.Round(round, nil, generous{}))(t)
		drawn += len(a.Ready().Drawn)
	}
	if drawn > 2*3 { // each arm's stream has the horizon
		t.Errorf("%d releases of 2 streams with a horizon of 3", drawn)
	}
}

// payer always pays the same.
type payer struct {
	generous
	reward bandit.Reward
}

func (w payer) Play(bandit.Arm) (bandit.Reward, error) { return w.reward, nil }

// TestAChoiceIsOnePull: whatever reward it pays.
func TestAChoiceIsOnePull(t *testing.T) {
	for _, reward := range []bandit.Reward{0, 1e-9, .1, .25, 1. / 3, .5, .75, .9, 1 - 1e-9, 1} {
		a := agent(t, spec(100))
		for round := range protocol.Round(20) {
			require.Value(a.Round(round, nil, payer{reward: reward}))(t)
			a.Ready()
			pulls := uint64(0)
			for _, n := range a.Belief().Pulls {
				pulls += n
			}
			if pulls != uint64(round)+1 {
				t.Fatalf("%d choices that pay %v are %d pulls", round+1, reward, pulls)
			}
		}
	}
}

// TestAbsentArmsAreNotChosen: neither the learner nor exploration chooses an absent arm, and the
// propensities are over the others.
func TestAbsentArmsAreNotChosen(t *testing.T) {
	s := spec(100)
	s.Arms, s.Absent, s.Explore = 4, []bandit.Arm{0, 3}, .5
	a := agent(t, s)
	for range 200 {
		turn := bandit.Turn{Excluded: []bandit.Arm{3}}
		arm := a.Choose(turn).Arm()
		if p := a.Chances(turn, nil); p[0] != 0 || p[3] != 0 || p[arm] < .25 {
			t.Fatalf("arm %d of %v", arm, p)
		}
		turn.Excluded[0] = 1
		arm = a.Choose(turn).Arm()
		if p := a.Chances(turn, nil); arm != 2 || p[2] != 1 {
			t.Fatalf("arm %d of %v, where one is left", arm, p)
		}
	}
}

// TestExplorationIsUnknownBefore: the round says nothing about it, and each agent has coins of its own.
func TestExplorationIsUnknownBefore(t *testing.T) {
	s := spec(100)
	s.Arms, s.Explore = 4, 1
	var all [2][]bandit.Arm
	for i := range all {
		a := agent(t, s) // each from a fresh seed
		for range 50 {
			all[i] = append(all[i], a.Choose(bandit.Turn{Round: 7}).Arm())
		}
		if sorted := slices.Sorted(slices.Values(all[i])); len(slices.Compact(sorted)) != 4 {
			t.Errorf("agent %d explores %v", i, all[i])
		}
	}
	if slices.Equal(all[0], all[1]) {
		t.Error("two agents explore alike")
	}
}
