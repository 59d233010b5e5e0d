package sim_test

import (
	"runtime"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// TestTenThousandAgents: 10,000 agents of the default experiment, with four neighbours each, take
// at most 1 GiB of heap, including garbage. State that every agent holds about all peers would
// show: 12 bytes for each are 1.2 GB.
func TestTenThousandAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const peers, rounds = 10_000, 40
	links := make([][]protocol.Peer, peers)
	for i := range links {
		for _, step := range []int{1, 2, peers - 2, peers - 1} {
			links[i] = append(links[i], protocol.Peer((i+step)%peers))
		}
		slices.Sort(links[i])
	}
	c := config(1, links, rounds, []float64{.1, .2, .3, .4, .5, .6, .7, .8, .85, .9})
	c.Spec.Privacy.Mechanism, c.Spec.Privacy.Horizon = dp.Tree, 10_000
	most := uint64(0)
	c.Watch = func(protocol.Round, []*node.Agent) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	}
	if _, err := sim.Run(c); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB", most>>20)
	if most > 1<<30 {
		t.Errorf("%d agents take %d MiB, at most 1024 are allowed", peers, most>>20)
	}
}
