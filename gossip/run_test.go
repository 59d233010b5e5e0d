package gossip

import (
	"sync/atomic"
	"testing"
	"time"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// TestOfTwoRunsOneIsReportedTo starts two hosts with one key and one checkpoint together, like
// copies of a folder: their common neighbour reports to one of them, and the other one hears of a
// rival. When the first is gone, the other one is accepted.
func TestOfTwoRunsOneIsReportedTo(t *testing.T) {
	trials := 5
	if testing.Short() {
		trials = 1
	}
	for range trials {
		cs, _ := checkpointed(configs(2, path(2)))
		neighbour := start(t, cs[1:])[0]
		var heard, rivals [2]atomic.Int64
		var copies [2]*Host
		for i := range copies {
			c := cs[0]
			c.OnRemembered = func(protocol.Peer, protocol.Checkpoint, bool) { heard[i].Add(1) }
			c.OnRival = func(protocol.Peer) { rivals[i].Add(1) }
			copies[i] = begin(t, c)
		}
		eventually(t, "a report and a rival", func() bool {
			return heard[0].Load()+heard[1].Load() > 0 && rivals[0].Load()+rivals[1].Load() > 0
		})
		time.Sleep(200 * time.Millisecond)
		if heard[0].Load() > 0 && heard[1].Load() > 0 {
			t.Fatal("the neighbour reported to both")
		}
		first := 0
		if heard[1].Load() > 0 {
			first = 1
		}
		shut(t, copies[first])
		eventually(t, "the other one to be accepted", func() bool {
			kick(copies[1-first], 1)
			return heard[1-first].Load() > 0
		})
		for _, h := range []*Host{copies[1-first], neighbour} {
			shut(t, h)
		}
	}
}

// TestAProcessReplacesItsHost: a peer whose network changes opens a new host while its neighbour
// may still take the old host's connections for alive, for example because the address is gone.
// The peer is no rival: the run is the same.
func TestAProcessReplacesItsHost(t *testing.T) {
	cs, _ := checkpointed(configs(2, path(2)))
	start(t, cs[1:])
	c := cs[0]
	c.Run = wire.NewRun()
	var heard [2]atomic.Int64
	var rivals atomic.Int64
	c.OnRival = func(protocol.Peer) { rivals.Add(1) }
	for i := range heard { // the first stays open
		c.OnRemembered = func(protocol.Peer, protocol.Checkpoint, bool) { heard[i].Add(1) }
		h := begin(t, c)
		eventually(t, "a report", func() bool {
			kick(h, 1)
			return heard[i].Load() > 0 || rivals.Load() > 0
		})
	}
	if rivals.Load() > 0 {
		t.Error("a process is its own rival")
	}
}
