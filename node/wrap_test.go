package node_test

import (
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// TestAWrapperIsForLockstep: no peer with people's records has a protocol that shares something with its learner.
func TestAWrapperIsForLockstep(t *testing.T) {
	wrapped := 0
	spec := node.Spec{
		Arms: 2, Graph: [][]protocol.Peer{nil}, Learner: linear.LinUCBParams{Features: 2, Index: linear.SampledIndex, Radius: 1, Records: linear.WithoutSquares, Map: bandit.Concat},
		Protocol: batches.BatchParams{First: 5, DecideFrom: batches.FromReleases, Pull: 20, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1},
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano, Delta: 1e12}, Mechanism: dp.TreeGaussian, RecordsPerUser: 1, Horizon: 100,
		},
		Wrap: func(s dp.Spec, l bandit.Learner, p protocol.Protocol) (bandit.Learner, protocol.Protocol, error) {
			if s.Streams == l.Statistic().Parts {
				wrapped++
			}
			return l, p, nil
		},
	}
	if _, err := spec.Agent(node.PeerConfig{Noise: dp.NewSecureSource()}); err != nil || wrapped != 1 {
		t.Fatal(wrapped, err)
	}
	spec.Privacy.Mode = dp.Private
	if _, err := spec.Agent(node.PeerConfig{Noise: dp.NewSecureSource()}); err == nil || !strings.Contains(err.Error(), "lockstep") || wrapped != 1 {
		t.Errorf("a wrapped peer with people's records: %v", err)
	}
}
