package node_test

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// relayed returns the agents of a star whose centre is a relay.
func relayed(t *testing.T, peers int) (node.Spec, []*node.Agent) {
	t.Helper()
	s := spec(100)
	s.Protocol = running.Params{Every: 2, Pull: 4, Merge: rows.MergeMean, F: 1, Relays: 1}
	s.Graph = make([][]protocol.Peer, peers)
	var all []*node.Agent
	for i := 1; i < peers; i++ {
		s.Graph[0] = append(s.Graph[0], protocol.Peer(i))
		s.Graph[i] = []protocol.Peer{0}
	}
	for i := range peers {
		a := require.Value(s.Agent(node.PeerConfig{Self: protocol.Peer(i), Seed: node.FreshSeed(), Noise: dp.NewSecureSource(), Keys: vouch.For[protocol.Keys](noKeys{})}))(t)
		all = append(all, a)
	}
	return s, all
}

// noKeys signs nothing and accepts every signature.
type noKeys struct{ protocol.Keys }

func (noKeys) Sign([]byte) []byte { return make([]byte, 64) }

func (noKeys) Verify(protocol.Peer, []byte, []byte) bool { return true }

// TestAnIdlePeerIsChargedNothing: a relay has no learner and no stream, draws nothing and is
// charged nothing, and what it forwards lets the others learn from each other. Its state can be
// saved and loaded.
func TestAnIdlePeerIsChargedNothing(t *testing.T) {
	const peers = 4
	s, agents := relayed(t, peers)
	in := make([][]protocol.Delivery, peers)
	for round := range protocol.Round(20) {
		out := make([][]protocol.Delivery, peers)
		for i, a := range agents {
			protocol.Sort(in[i])
			played := require.Value(a.Round(round, in[i], generous{}))(t)
			if idle := played.Pull.Arm == bandit.NoArm; idle != (i == 0) || a.Idle() != (i == 0) {
				t.Fatalf("peer %d pulled arm %d", i, played.Pull.Arm)
			}
			r := a.Ready()
			if i == 0 && (len(r.Charges) > 0 || len(r.Drawn) > 0 || a.Spent() != 0) {
				t.Fatalf("the relay was charged %d times, drew %d nodes and spent %v", len(r.Charges), len(r.Drawn), a.Spent())
			}
			for _, e := range r.Messages {
				out[e.To] = append(out[e.To], protocol.Delivery{From: protocol.Peer(i), Message: e.Message})
			}
		}
		in = out
		if round != 10 {
			continue
		}
		saved, err := agents[0].Save()
		if err != nil {
			t.Fatal(err)
		}
		agents[0] = require.Value(s.Agent(node.PeerConfig{Self: 0, Seed: node.FreshSeed(), Noise: dp.NewSecureSource(), Keys: vouch.For[protocol.Keys](noKeys{})}))(t)
		require.NoError(t, agents[0].Load(saved))
		other := require.Value(s.Agent(node.PeerConfig{Self: 1, Seed: node.FreshSeed(), Noise: dp.NewSecureSource(), Keys: vouch.For[protocol.Keys](noKeys{})}))(t)
		if err = other.Load(saved); err == nil {
			t.Error("a peer with arms took over the state of a relay")
		}
	}
	for i := 1; i < peers; i++ {
		rows := 0.
		for k := range 2 {
			if b := agents[i].Belief(); b.Known(k) {
				rows += 1 / b.SampleVar[k]
			}
		}
		if rows < 40 { // 20 rewards of each of three sites, of which the newest are still in transit
			t.Errorf("peer %d knows of %v rewards: the relay passes nothing on", i, rows)
		}
	}
}
