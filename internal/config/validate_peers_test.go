package config

import (
	"fmt"
	"testing"
	"time"

	"peerd.dev/gossip"
)

// TestPeersOfALargeNetworkAreCheckedAtOnce: each record and each proposal that a peer hears is checked so, while its document is locked.
func TestPeersOfALargeNetworkAreCheckedAtOnce(t *testing.T) {
	n := new(Network)
	for i := range 4000 {
		n.Peers = append(n.Peers, Member{Name: fmt.Sprint("p", i), ID: gossip.SeedIdentity([32]byte{byte(i), byte(i >> 8)}).ID()})
	}
	began := time.Now()
	if problems := n.ValidatePeers(); len(problems) > 0 || time.Since(began) > 5*time.Second {
		t.Errorf("%d problems after %v", len(problems), time.Since(began))
	}
	n.Peers[3999] = n.Peers[0]
	if problems := n.ValidatePeers(); len(problems) != 2 {
		t.Errorf("%v of a peer that is there twice", problems)
	}
}
