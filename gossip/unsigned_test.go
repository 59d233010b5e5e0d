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

// TestPeersOfBothBuilds: two ends of which one knows no signatures link up, exchange checkpoints and messages, and remember
// each other without signatures; a memory that has a signature keeps it.
func TestPeersOfBothBuilds(t *testing.T) {
	cs, ws := checkpointed(configs(2, path(2)))
	cs[0].Checkpoint, cs[1].Checkpoint = checkpointOf(10), checkpointOf(20)
	cs[0].Known = []protocol.SignedCheckpoint{{}, signedBy(&cs[1], checkpointOf(20))}
	cs[1].Known = []protocol.SignedCheckpoint{{Checkpoint: checkpointOf(7)}, {}}
	hosts := make([]*Host, 2)
	for _, i := range []int{1, 0} { // peer 0 dials
		hosts[i] = begin(t, cs[i])
		hosts[i].libp2p.RemoveStreamHandler(linkProtocol)
		hosts[i].libp2p.RemoveStreamHandler(probeProtocol)
		cs[0].Peers[1].Addrs = hosts[1].Addrs()
	}
	ready(t, hosts...)
	if !ws[0].remembered(1, checkpointOf(7)) || !ws[1].remembered(0, checkpointOf(20)) {
		t.Error("what the other end remembers is not heard")
	}
	hosts[0].Advance(checkpointOf(12))
	send(t, hosts[0], roundEnds(0, 1, 1))
	if d := receive(t, hosts[1]); d.Message.Round() != 1 {
		t.Errorf("%+v", d.Message)
	}
	if got := hosts[1].members[0].link.remembered(); got != (protocol.SignedCheckpoint{Checkpoint: checkpointOf(12)}) {
		t.Errorf("remembered: %+v", got)
	}
	if got := hosts[0].members[1].link.remembered(); got != signedBy(&cs[1], checkpointOf(20)) {
		t.Errorf("the signature is lost: %+v", got)
	}
	if s := status(hosts[0], 1); s.State != Up || s.Refused > 0 {
		t.Errorf("%+v", s)
	}
	hosts[0].Confirm(t.Context(), checkpointOf(12))
	if !ws[0].remembered(1, checkpointOf(12)) {
		t.Error("not confirmed")
	}
}
