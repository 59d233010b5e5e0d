package sim

import (
	"math"
	"testing"

	"peerd.dev/node"
	"peerd.dev/protocol"
)

const letters = 20_000

// arrivals sends letters from peer 0 to peer 3 of 4 in round 0. It returns how many arrive by
// rounds of lateness, and the number of copies.
func arrivals(t *testing.T, f Faults) (late map[int]int, copies int, r *run) {
	t.Helper()
	rng := node.NewSeed(1).Rand("network")
	network, err := NewNetwork(4, f, rng)
	if err != nil {
		t.Fatal(err)
	}
	r = &run{
		Config: Config{Faults: f, Spec: node.Spec{Graph: make([][]protocol.Peer, 4)}},
		agents: make([]*node.Agent, 4), network: network, rng: rng,
	}
	var out protocol.Outbox
	out.EndRound(0, 0, []protocol.Peer{3}) // any message
	for range letters {
		r.post(0, 0, 3, &out.Envelopes()[0].Message, 1)
	}
	late = make(map[int]int)
	for k := range f.horizon() + 2 {
		r.network.Turn()
		if n := len(r.network.Take(3)); n > 0 {
			late[k] = n
			copies += n
		}
	}
	if network.prompt() != (late[0] == copies) {
		t.Errorf("%+v: prompt is %v, and %d of %d come in the next round", f, network.prompt(), late[0], copies)
	}
	return late, copies, r
}

// near fails unless n is a share of letters, within 5 standard deviations.
func near(t *testing.T, what string, n int, share float64) {
	t.Helper()
	if sd := math.Sqrt(letters * share * (1 - share)); math.Abs(float64(n)-letters*share) > 5*sd {
		t.Errorf("%s: %d of %d, want about %v", what, n, letters, share)
	}
}

// TestFaultsDoWhatTheySay: each on its own.
func TestFaultsDoWhatTheySay(t *testing.T) {
	if late, copies, _ := arrivals(t, Faults{}); copies != letters || late[0] != letters {
		t.Errorf("without faults: %v", late)
	}
	late, copies, r := arrivals(t, Faults{Loss: .3})
	near(t, "loss", copies, .7)
	if int(r.res.Lost)+copies != letters || late[0] != copies || r.res.Messages != letters {
		t.Errorf("%d lost and %d arrived of %d: %v", r.res.Lost, copies, r.res.Messages, late)
	}
	late, copies, _ = arrivals(t, Faults{Duplicate: .2})
	near(t, "duplicates", copies-letters, .2)
	if late[0] != copies {
		t.Errorf("duplicates came late: %v", late)
	}
	late, copies, _ = arrivals(t, Faults{Delay: 4})
	for k := range 5 {
		near(t, "delay", late[k], .2)
	}
	if copies != letters {
		t.Errorf("delay: %d arrived", copies)
	}
	late, copies, _ = arrivals(t, Faults{Reorder: .3})
	for k := 1; k <= 3; k++ {
		near(t, "reorder", late[k], .1)
	}
	if copies != letters {
		t.Errorf("reorder: %d arrived", copies)
	}
}

// TestAPartitionStandsBetweenTheHalves: in its rounds and in no others.
func TestAPartitionStandsBetweenTheHalves(t *testing.T) {
	f := Faults{Partition: []uint64{10, 20}}
	for _, c := range []struct {
		round    protocol.Round
		from, to int
		want     bool
	}{{9, 0, 3, false}, {10, 0, 3, true}, {19, 3, 0, true}, {20, 0, 3, false}, {15, 0, 1, false}, {15, 2, 3, false}, {15, 1, 2, true}} {
		if got := f.cut(c.round, c.from, c.to, 4); got != c.want {
			t.Errorf("round %d, %d to %d: %v", c.round, c.from, c.to, got)
		}
	}
}

// TestChurnKeepsPeersAwayForAWhile: an absence begins with the given probability and lasts 50
// rounds on average.
func TestChurnKeepsPeersAwayForAWhile(t *testing.T) {
	const churn, rounds = .01, 2_000_000
	r := &run{Config: Config{Faults: Faults{Churn: churn}}, down: make([]uint64, 1), rng: node.NewSeed(2).Rand("network")}
	away, begun, before := 0, 0, uint64(0)
	for round := range protocol.Round(rounds) {
		if r.away(round, 0) {
			away++
		}
		if r.down[0] != before {
			begun++
			before = r.down[0]
		}
	}
	if long := float64(away) / float64(begun); math.Abs(long-MeanAbsence) > 2 {
		t.Errorf("an absence lasts %.1f rounds, want %d", long, MeanAbsence)
	}
	if often := float64(begun) / float64(rounds-away); math.Abs(often-churn) > churn/20 {
		t.Errorf("an absence begins with probability %.4f, want %v", often, churn)
	}
}

// TestOnlyTheFirstHonestSiteStops: in its rounds, and for ever without a round to resume in.
func TestOnlyTheFirstHonestSiteStops(t *testing.T) {
	for _, c := range []struct {
		f     Faults
		round protocol.Round
		peer  int
		want  bool
	}{
		{Faults{}, 0, 1, false},
		{Faults{Stop: 10}, 9, 1, false},
		{Faults{Stop: 10}, 10, 1, true},
		{Faults{Stop: 10}, 1 << 40, 1, true},
		{Faults{Stop: 10}, 10, 2, false},
		{Faults{Stop: 10, Resume: 20}, 19, 1, true},
		{Faults{Stop: 10, Resume: 20}, 20, 1, false},
	} {
		r := &run{Config: Config{Faults: c.f}, stops: 1}
		if got := r.away(c.round, c.peer); got != c.want {
			t.Errorf("%+v, round %d, peer %d: %v", c.f, c.round, c.peer, got)
		}
	}
	for _, f := range []Faults{{Resume: 5}, {Stop: 10, Resume: 10}} {
		if f.check() == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
}
