package gossip

import (
	"testing"

	"peerd.dev/protocol"
)

// TestTheLastStatementCounts: after one, two and three rotations a peer without the owner's present signature knows of its ledger what was
// stated last. Neither earlier statements, nor more than the last under any former key, replace it.
func TestTheLastStatementCounts(t *testing.T) {
	for rotations := range 4 {
		cs, _ := checkpointed(configs(3, path(3)))
		var former []Config
		for i := range rotations {
			former = append(former, Config{Identity: SeedIdentity([32]byte{90, byte(i)}), Network: cs[0].Network})
		}
		last := uint64(4 + 3*rotations)
		for i := range cs {
			for k, f := range former {
				cs[i].Peers[0].Former = append(cs[i].Peers[0].Former, f.Identity.ID())
				cs[i].Peers[0].Closed = append(cs[i].Peers[0].Closed, Closed{f.Identity.ID(), checkpointOf(uint64(7 + 3*k))})
			}
			cs[i].MostRecords = 1000
		}
		ledgerOf(&cs[0], last+2)
		hosts := start(t, cs[2:]) // alone: the owner is away
		owner := hosts[0].members[0]
		try := func(c protocol.SignedCheckpoint, what string, kept bool) {
			t.Helper()
			hosts[0].learn(owner, c, 1)
			if got := owner.remembered().Checkpoint; (got == c.Checkpoint) != kept {
				t.Errorf("%d rotations: %s of %d records is remembered: %v", rotations, what, c.Records, got)
			}
		}
		for k := range former {
			if n := uint64(7 + 3*k); n < last {
				try(protocol.SignedCheckpoint{Checkpoint: checkpointOf(n)}, "an earlier statement", false)
			}
			try(signedBy(&former[k], checkpointOf(last+1)), "a former key's checkpoint", false)
		}
		if rotations > 0 {
			try(protocol.SignedCheckpoint{Checkpoint: branch(last, 1)}, "another ledger as long as was stated", false)
			try(protocol.SignedCheckpoint{Checkpoint: checkpointOf(last)}, "the last statement", true)
		}
		try(signedBy(&cs[0], checkpointOf(last+2)), "the present key's checkpoint", true)
		shut(t, hosts[0])
	}
}
