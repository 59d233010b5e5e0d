package averaging_test

import (
	"math"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// latecomers is a network of four of which the last comes late, or comes back without
// all that it knew: a thousand pulls of either arm, and then its own.
func latecomers(t *testing.T, rule averaging.Consistency, back bool) *protocoltest.Network {
	t.Helper()
	s := averageOver(protocoltest.Complete(4), .3)
	s.Mechanism, s.Params = dp.Tree, averageParams(rule, .3)
	n := protocoltest.New(t, s)
	here := 3 + protocoltest.Count(back)
	for range 2000 {
		playFirst(t, n, here, 0, here)
	}
	for range 200 { // estimates meet
		playFirst(t, n, here, 0, 0)
	}
	if back {
		n.Peers[3] = n.Peer(t, 3, 1)
	}
	return n
}

// playFirst plays a round of the first few peers, of which some pull: from … to before.
// What the others are sent is lost. Arm 0 pays .8 and arm 1 .2.
func playFirst(t *testing.T, n *protocoltest.Network, few, from, to int) {
	t.Helper()
	for i, in := range n.Take()[:few] {
		for _, d := range in {
			require.Value(n.Deliver(t, i, d))(t)
		}
	}
	for i := range few {
		if from <= i && i < to {
			arm, reward := rewarded(n.Round)
			n.Pull(t, i, arm, reward)
		}
		n.Tick(t, i)
	}
	n.Round++
}

// rewarded returns what is pulled in a round.
func rewarded(t protocol.Round) (arm int, reward float64) {
	arm = int(t % 2)
	return arm, float64(protocoltest.Count(t/2%5 < protocol.Round(4-3*arm)))
}

// TestALatecomerMovesNobody: the mean of a few noised pulls of an arm reaches no other estimate,
// while the others' estimates reach the latecomer. Under max it does: the noise of a pull is tens
// of times a reward. Once it has a quarter of the others' pulls it takes part like every peer.
func TestALatecomerMovesNobody(t *testing.T) {
	for _, x := range []struct {
		name string
		rule averaging.Consistency
		back bool
	}{
		{"late under capped", averaging.Capped, false},
		{"late under max", averaging.Max, false},
		{"without its memory under capped", averaging.Capped, true},
		{"without its memory under max", averaging.Max, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			n := latecomers(t, x.rule, x.back)
			before, noise, moved, apart := n.Peers[0].Belief().X[0], 0., 0., 0.
			play := func(rounds int) {
				for round := range rounds {
					playFirst(t, n, 4, 3, 4)
					a := n.Peers[3].Protocol.(*averaging.Average)
					noise = max(noise, math.Abs(protocoltest.Lattice(a.Mixed().Own(0), averages.MeanExponent)-.8))
					for _, p := range n.Peers[:3] {
						moved = max(moved, math.Abs(p.Belief().X[0]-before))
					}
					if round > 100 {
						apart = max(apart, math.Abs(a.Belief().X[0]-before))
					}
				}
			}
			play(400)
			t.Logf("the latecomer's own mean was off by up to %.3g, the others' estimates moved by up to %.3g, and its own was apart by up to %.3g", noise, moved, apart)
			if noise < 1 {
				t.Errorf("noise of %v tries nothing", noise)
			}
			if x.rule == averaging.Max {
				if moved < .2 {
					t.Errorf("under max the others moved by %v: what is to be kept out is not there", moved)
				}
				return
			}
			if moved > 1e-6 || apart > 1e-6 {
				t.Errorf("the others' estimates moved by %v, and the latecomer's was apart by %v", moved, apart)
			}
			play(1600)
			for range 200 {
				playFirst(t, n, 4, 0, 0)
			}
			for i, p := range n.Peers {
				a := p.Protocol.(*averaging.Average)
				for k, want := range []float64{.8, .2} {
					if got := p.Belief().X[k]; math.Abs(got-want) > .1 || !a.Mixed().Joined(k) {
						t.Errorf("in the end peer %d, arm %d: %v, want %v; in: %v", i, k, got, want, a.Mixed().Joined(k))
					}
				}
			}
		})
	}
}

// TestLittleTrafficCounts: a late site with a sixteenth of the others' traffic, whose arms pay in
// reverse order, enters when its means are precise, which moves the others by no more than it
// should, and in the end every peer has the mean over all sites.
func TestLittleTrafficCounts(t *testing.T) {
	n := latecomers(t, averaging.Capped, false)
	last := n.Peers[3].Protocol.(*averaging.Average)
	entered := protocol.Round(0)
	for range 40_000 {
		playFirst(t, n, 4, 0, 3)
		if n.Round%16 == 0 {
			arm, reward := rewarded(n.Round / 16)
			n.Pull(t, 3, 1-arm, reward)
		}
		if own, others := last.OwnCounts().At(0), n.Peers[0].Protocol.(*averaging.Average).OwnCounts().At(0); entered == 0 && last.Mixed().Joined(0) {
			entered = n.Round
			t.Logf("entered arm 0 in round %d with %d pulls of the others' %d, sd %.3f", entered, own, others, math.Sqrt(last.Variance(0)))
			if others <= averaging.MaxPullRatio*own {
				t.Errorf("entered with %d pulls of %d: nothing is tried", own, others)
			}
		}
	}
	for i, p := range n.Peers {
		for k, want := range []float64{.65, .35} {
			if got := p.Belief().X[k]; math.Abs(got-want) > .05 {
				t.Errorf("in the end peer %d, arm %d: %v, want %v", i, k, got, want)
			}
		}
	}
}

// TestNoLiarKeepsAPeerOut: a liar sets the beliefs of the greatest count, so that by these every
// peer lags behind. An exchange with one honest neighbour is enough to enter.
func TestNoLiarKeepsAPeerOut(t *testing.T) {
	s := averageOver(protocoltest.Path(3), .3)
	s.Params = averageParams(averaging.Capped, .3)
	n := protocoltest.New(t, s)
	kept := false
	for range 100 {
		for k := range n.Underway {
			if p := &n.Underway[k]; p.From == 0 {
				d := protocoltest.DraftOf(p.Message)
				for j, r := range d.Body {
					f := r.Fields()
					for c := range f.Count {
						f.Count[c] = 1 << 63
					}
					var err error
					if d.Body[j], err = dp.Received(vouch.For(f)); err != nil {
						t.Fatal(err)
					}
				}
				p.Message = d.Message()
			}
		}
		n.Play(t, func(int) (int, float64) { return rewarded(n.Round) })
		a := n.Peers[1].Protocol.(*averaging.Average)
		kept = kept || a.OwnCounts().At(0) > 0 && a.HeardCounts() && !a.Mixed().Joined(0)
	}
	if !kept {
		t.Error("the lie kept nobody out: nothing was tried")
	}
	for i, p := range n.Peers[1:] {
		for k := range n.Arms {
			if !p.Protocol.(*averaging.Average).Mixed().Joined(k) {
				t.Errorf("after 100 rounds peer %d has not entered arm %d", i+1, k)
			}
		}
	}
}

// TestTheRuleMayChange between two starts of a network: under max every peer takes part.
func TestTheRuleMayChange(t *testing.T) {
	s := averageOver(protocoltest.Path(2), .3)
	s.Params = averageParams(averaging.Capped, .3)
	n := protocoltest.New(t, s)
	for range 20 {
		n.Pull(t, 0, 0, 1)
	}
	n.Tick(t, 0)
	n.Round++
	n.Play(t, func(i int) (int, float64) { return i, 1 }) // peer 1 has no pull of arm 0
	for range 30 {
		n.Play(t, nil)
	}
	for i, p := range n.Peers {
		a := p.Protocol.(*averaging.Average)
		if in := a.Mixed().Joined(0); in != (i == 0) {
			t.Fatalf("peer %d is in: %v", i, in)
		}
		n.Params = averageParams(averaging.Max, .3)
		n.Restart(t, i, 0)
	}
	as := []*averaging.Average{n.Peers[0].Protocol.(*averaging.Average), n.Peers[1].Protocol.(*averaging.Average)}
	for c := range 2 * n.Arms {
		if c >= n.Arms && averaging.Entered(as[0], c)+averaging.Entered(as[1], c) != 2<<-averages.MeanExponent {
			t.Errorf("coordinate %d: under max somebody is out", c)
		}
		if d := averaging.Drift(as, c) - averaging.UnderWay(as, c); d != 0 {
			t.Errorf("coordinate %d: the sum is off by %d", c, d)
		}
	}
}

// TestRobustWaitsForItsRank: of f claims or fewer robust makes nothing, so a latecomer who
// has heard no more of its neighbours yet does not take its own pull for all there are.
func TestRobustWaitsForItsRank(t *testing.T) {
	n := latecomers(t, averaging.Robust, false)
	last := n.Peers[3].Protocol.(*averaging.Average)
	for heard := range protocol.Peer(2) {
		for _, in := range n.Take()[3] {
			if in.From == heard && in.Message.Kind() == averaging.AverageCounts {
				require.Value(n.Deliver(t, 3, in))(t)
			}
		}
		n.Pull(t, 3, 0, 1)
		n.Tick(t, 3)
		if last.Mixed().Joined(0) {
			t.Fatalf("entered with %d pulls of the others' %d, once %d of 3 neighbours were heard",
				last.OwnCounts().At(0), n.Peers[0].Protocol.(*averaging.Average).OwnCounts().At(0), heard+1)
		}
		playFirst(t, n, 3, 0, 3)
	}
	if !last.HeardCounts() {
		t.Error("two claims are more than f, and nobody is met")
	}
}
