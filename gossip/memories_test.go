package gossip

import (
	"encoding/binary"
	"strings"
	"testing"

	"peerd.dev/protocol"
)

// three starts three peers in a row. Peer 2 knows a checkpoint of peer 0, which is no neighbour of it.
func three(t *testing.T, own uint64, knows func(c *Config) protocol.SignedCheckpoint) ([]*Host, []*witness) {
	t.Helper()
	cs, ws := checkpointed(configs(3, path(3)))
	cs[0].Checkpoint = checkpointOf(own)
	cs[2].Known = make([]protocol.SignedCheckpoint, 3)
	cs[2].Known[0] = knows(&cs[0])
	hosts := start(t, cs)
	ready(t, hosts...)
	return hosts, ws
}

// TestMemoriesReachAllPeers: a peer that is no neighbour reports to a restored folder what it lacks, and a neighbour whose
// folder is new hears it from others.
func TestMemoriesReachAllPeers(t *testing.T) {
	hosts, ws := three(t, 5, func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(9)) })
	if err := hosts[1].TradeMemories(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if got := hosts[1].members[0].remembered(); got.Checkpoint != checkpointOf(9) || ws[1].highest(0) != checkpointOf(9) {
		t.Errorf("the neighbour remembers %v, want what the third peer does", got)
	}
	if err := hosts[0].TradeMemories(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if !ws[0].shown(2, checkpointOf(9)) {
		t.Error("a restored folder does not hear from a peer that is no neighbour")
	}
}

// TestWhoRemembersReports: the owner hears of a memory that agrees with its ledger, too, from a peer to which it has no link.
func TestWhoRemembersReports(t *testing.T) {
	hosts, ws := three(t, 5, func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(3)) })
	if err := hosts[0].TradeMemories(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if !ws[0].shown(2, checkpointOf(5)) {
		t.Error("an unlinked peer has not reported")
	}
}

// TestAMemoryHarmsNobody: what the owner has not signed, or has gone on from, changes nothing.
func TestAMemoryHarmsNobody(t *testing.T) {
	for name, knows := range map[string]func(c *Config) protocol.SignedCheckpoint{
		"invented": func(*Config) protocol.SignedCheckpoint {
			return protocol.SignedCheckpoint{Checkpoint: checkpointOf(1 << 40), Signature: [64]byte{1}}
		},
		"another network's": func(c *Config) protocol.SignedCheckpoint {
			other := *c
			other.Network = "other"
			return signedBy(&other, checkpointOf(9))
		},
		"on the ledger": func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(3)) },
	} {
		t.Run(name, func(t *testing.T) {
			hosts, ws := three(t, 5, knows)
			for _, h := range hosts[:2] {
				if err := h.TradeMemories(t.Context(), 2); err != nil {
					t.Fatal(err)
				}
			}
			if got := hosts[1].members[0].remembered(); got.Checkpoint != checkpointOf(5) {
				t.Errorf("a neighbour remembers %v", got)
			}
			if shown := ws[0].shown(2, knows(&hosts[0].cfg).Checkpoint); shown != (name == "on the ledger") {
				t.Errorf("it was shown to the owner: %v", shown)
			}
			if state, _, _ := hosts[0].members[1].link.state(); state != Up {
				t.Error("a link went down")
			}
		})
	}
}

// TestMemoriesAreInOneForm: a frame that is no list of checkpoints is counted against the peer that sent it.
func TestMemoriesAreInOneForm(t *testing.T) {
	hosts, _ := three(t, 5, func(c *Config) protocol.SignedCheckpoint { return signedBy(c, checkpointOf(9)) })
	if err := hosts[0].TradeMemories(t.Context(), 2); err != nil { // connects them
		t.Fatal(err)
	}
	one := appendCheckpoint(binary.AppendUvarint(nil, 2), signedBy(&hosts[2].cfg, checkpointOf(3)))
	for name, b := range map[string][]byte{
		"cut": one[:50], "twice": append(one, one...), "index": append(binary.AppendUvarint(nil, 1<<40), one[1:]...),
		"headless": appendCheckpoint([]byte{2}, protocol.SignedCheckpoint{Signature: [64]byte{1}}),
	} {
		before := hosts[0].members[2].refused.Load()
		s, err := hosts[2].libp2p.NewStream(t.Context(), hosts[0].members[0].id, memoryProtocol)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err = s.Write(prefixed(b)); err != nil {
			t.Fatal(name, err)
		}
		var answer [1]byte
		if _, err = s.Read(answer[:]); err == nil || strings.Contains(err.Error(), "deadline") {
			t.Error(name, "was answered:", err)
		}
		_ = s.Reset()
		if got := hosts[0].members[2].refused.Load(); got != before+1 {
			t.Errorf("%s: %d refusals, want %d", name, got, before+1)
		}
	}
}
