package gossip

import (
	"testing"

	"peerd.dev/protocol"
)

// TestNoNeighbourInventsAMemory: a neighbour that states more records of a peer than it has, or others, without
// the signature of its present key is refused and named, and the peer does not hear of it.
func TestNoNeighbourInventsAMemory(t *testing.T) {
	for name, c := range map[string]struct {
		sign     func(cs []Config, x protocol.Checkpoint) protocol.SignedCheckpoint
		states   protocol.Checkpoint
		evidence bool
	}{
		"its own signature": {func(cs []Config, x protocol.Checkpoint) protocol.SignedCheckpoint { return signedBy(&cs[0], x) }, checkpointOf(1 << 40), true},
		"no signature": {func(_ []Config, x protocol.Checkpoint) protocol.SignedCheckpoint {
			return protocol.SignedCheckpoint{Checkpoint: x}
		}, checkpointOf(1 << 40), false},
		"none, and other ones": {func(_ []Config, x protocol.Checkpoint) protocol.SignedCheckpoint {
			return protocol.SignedCheckpoint{Checkpoint: x}
		}, branch(10, 1), false},
		"the liar's": {func(cs []Config, x protocol.Checkpoint) protocol.SignedCheckpoint { return signedBy(&cs[1], x) }, checkpointOf(1 << 40), false},
		"another network's": {func(cs []Config, x protocol.Checkpoint) protocol.SignedCheckpoint {
			other := cs[0]
			other.Network = "other"
			return signedBy(&other, x)
		}, checkpointOf(1 << 40), false},
		"an earlier key's": {func(cs []Config, x protocol.Checkpoint) protocol.SignedCheckpoint {
			return signedBy(&Config{Identity: SeedIdentity([32]byte{90}), Network: cs[0].Network}, x)
		}, checkpointOf(1 << 40), false},
		"the invitation's": {func(cs []Config, x protocol.Checkpoint) protocol.SignedCheckpoint {
			return signedBy(&Config{Identity: SeedIdentity([32]byte{91}), Network: cs[0].Network}, x)
		}, checkpointOf(1 << 40), false},
	} {
		for _, victim := range []int{0, 1} { // who dials
			cs, ws := checkpointed(configs(2, path(2)))
			if victim == 1 {
				cs[0].Identity, cs[1].Identity = cs[1].Identity, cs[0].Identity
				cs[0].Peers[0].ID, cs[0].Peers[1].ID = cs[0].Peers[1].ID, cs[0].Peers[0].ID
			}
			liar, log := 1-victim, &lines{}
			cs[victim].Checkpoint, cs[victim].Logger = checkpointOf(10), log.logger()
			token := SeedIdentity([32]byte{91}).ID()
			for i := range cs {
				cs[i].Peers[victim].Former = []string{token, SeedIdentity([32]byte{90}).ID()}
				cs[i].Peers[victim].Closed = []Closed{{SeedIdentity([32]byte{90}).ID(), checkpointOf(10)}}
			}
			byPlace := []Config{cs[victim], cs[liar]}
			cs[liar].Known = make([]protocol.SignedCheckpoint, 2)
			cs[liar].Known[victim] = c.sign(byPlace, c.states)
			hosts := start(t, cs)
			from := protocol.Peer(liar)
			eventually(t, "refused", func() bool {
				s := status(hosts[victim], from)
				return s.State != Up && s.LastError != ""
			})
			if c.evidence {
				eventually(t, "the callback", func() bool { return ws[victim].remembered(from, c.states) })
			} else {
				eventually(t, "named, once", func() bool { return log.count("that this peer has not signed") == 1 })
				eventually(t, "counted", func() bool { return status(hosts[victim], from).Refused > 0 })
				if ws[victim].remembered(from, c.states) {
					t.Errorf("%s, peer %d: the peer heard of it", name, victim)
				}
			}
			for _, h := range hosts {
				shut(t, h)
			}
		}
	}
}
