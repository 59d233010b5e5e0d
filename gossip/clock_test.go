package gossip

import (
	"testing"
	"time"

	"peerd.dev/protocol"
)

// TestAWrongClockIsNoticed: by the peer that has it, and a peer that lies about the time moves no other's judgement.
func TestAWrongClockIsNoticed(t *testing.T) {
	cs := configs(4, path(4))
	cs[1].wrong, cs[3].wrong = 3*time.Minute, -100*365*24*time.Hour
	hosts := start(t, cs)
	ready(t, hosts...)
	if _, n := hosts[0].Ahead(); n != 0 {
		t.Errorf("%d peers answer before they are asked", n)
	}
	for i, want := range []time.Duration{0, 3 * time.Minute, 0} {
		for j := range hosts {
			if i != j {
				if err := hosts[i].CompareClock(t.Context(), protocol.Peer(j)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got, n := hosts[i].Ahead(); n != 3 || (got-want).Abs() > time.Second {
			t.Errorf("peer %d: %v ahead of %d peers, want %v", i, got, n, want)
		}
	}
}
