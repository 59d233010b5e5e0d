package node_test

import (
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// TestRawRecordsAreForLockstep: no peer with people's records accepts a protocol whose choices or
// messages depend on raw records, and no curator of such records shows them.
func TestRawRecordsAreForLockstep(t *testing.T) {
	spec := node.Spec{
		Arms: 2, Graph: [][]protocol.Peer{nil}, Learner: bandit.LinUCBParams{Features: 2, Index: bandit.SampledIndex, Radius: 1, Records: bandit.WithoutSquares},
		Protocol: batches.BatchParams{First: 5, DecideFrom: batches.FromRaw, Pull: 20},
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano, Delta: 1e12}, Mechanism: dp.TreeGaussian, RecordsPerUser: 1, Horizon: 100,
		},
	}
	if _, err := spec.Agent(node.PeerConfig{Noise: dp.NewSecureSource()}); err != nil {
		t.Fatal(err)
	}
	spec.Privacy.Mode = dp.Private
	if _, err := spec.Agent(node.PeerConfig{Noise: dp.NewSecureSource()}); err == nil || !strings.Contains(err.Error(), "choices of protocol batch follow from raw records") {
		t.Errorf("a peer that chooses from raw records of people: %v", err)
	}
	spec.Protocol = batches.BatchParams{First: 5, DecideFrom: batches.FromReleases, Schedule: batches.LogDetRawSchedule, Threshold: 1, Pull: 20}
	if _, err := spec.Agent(node.PeerConfig{Noise: dp.NewSecureSource()}); err == nil || !strings.Contains(err.Error(), "messages of protocol batch follow from raw records") {
		t.Errorf("a peer that sends by raw records of people: %v", err)
	}
	streams, err := spec.Streams()
	if err != nil {
		t.Fatal(err)
	}
	c, err := dp.NewCurator(dp.Private, spec.Privacy.Budget, dp.NewSecureSource())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(streams); err != nil {
		t.Fatal(err)
	}
	if err := c.Add(0, []float64{1, 0, 1}); err != nil {
		t.Fatal(err)
	}
	if sums, n, err := c.Unreleased(0, nil); err == nil || len(sums) > 0 || n > 0 {
		t.Errorf("%d sums of %d records, %v", len(sums), n, err)
	}
}
