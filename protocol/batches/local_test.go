package batches_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// locals returns a setting of protocol local, with the statistic of [batches].
func locals(g protocoltest.Graph, m dp.Mechanism, p protocol.Params) protocoltest.Setting {
	return protocoltest.Setting{
		Graph: g, Arms: 2, Rounds: 1000, Mechanism: m, Params: p,
		Learner: func() bandit.Learner { return protocoltest.Vector(2) },
	}
}

// near are parameters of batches of three decisions that travel two links.
func near() batches.BatchParams {
	return batches.BatchParams{Hops: 2, First: 3, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 1, Pull: 4, Draws: 1}
}

// likePapers are near's parameters with a neighbourhood and estimators of paper 000.
func likePapers(n printed.Neighbourhood, e printed.Estimators) printed.LocalParams {
	return printed.LocalParams{Hops: 2, Neighbourhood: n, Estimators: e, First: 3, Schedule: batches.FixedSchedule, Threshold: 1, Pull: 4}
}

// cliques returns the clique of each peer, of which every two members are at most a number of links apart: peers
// join the first one that they can.
func cliques(far [][]int, links int) (of []int) {
	for p := range far {
		c := 0
		for q := 0; q < p; q++ {
			if of[q] == c && far[p][q] > links {
				c, q = c+1, -1
			}
		}
		of = append(of, c)
	}
	return of
}

// TestTheNeighbourhoodIsAddedUpOnce, whatever is lost, comes twice or comes late, and over
// restarts: in the end a peer believes the sum of all records in closed batches of its
// neighbourhood, and of no other peer, and with split estimators of the rounds of the one
// whose turn it is.
func TestTheNeighbourhoodIsAddedUpOnce(t *testing.T) {
	growing := near()
	growing.Growth = .5
	for _, p := range []protocol.Params{near(), growing, likePapers(printed.Ball, printed.SplitEstimators), likePapers(printed.Clique, printed.OneEstimator)} {
		for seed := range uint64(6) {
			s := locals(protocoltest.Random(8, 2, rand.New(rand.NewPCG(seed, 1))), dp.None, p)
			s.Seed = seed
			n := protocoltest.New(t, s)
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .3, Repeat: .3, Late: .4}
			choices := n.Choices(seed)
			lanes := int(max(1, p.Cadence().Lanes))
			kept, open := make([][]float64, 8*lanes), make([][]float64, 8*lanes) // sums in closed batches, and in the open one, by peer and lane
			for i := range open {
				kept[i], open[i] = make([]float64, 4), make([]float64, 4)
			}
			closed := make([]int, 8)
			for round := range 100 {
				n.Play(t, func(i int) (int, float64) {
					arm, y := choices(i)
					open[i*lanes+round%lanes][arm]++
					open[i*lanes+round%lanes][2+arm] += y
					return arm, y
				})
				for i, peer := range n.Peers {
					if leaves := peer.Leaves(); leaves > closed[i] {
						closed[i] = leaves
						lane := i*lanes + round%lanes
						for k, x := range open[lane] {
							kept[lane][k] += x
						}
						clear(open[lane])
					}
				}
				h.Befall(n)
				if round%12 == 10 {
					n.Restart(t, round/12, 0)
				}
			}
			for range 200 {
				n.Play(t, nil)
			}
			far, members := protocoltest.Distances(s.Graph), 0
			same := func(i, j int) bool { return far[i][j] <= 2 }
			if of, ok := p.(printed.LocalParams); ok && of.Neighbourhood == printed.Clique {
				clique := cliques(far, 2)
				same = func(i, j int) bool { return clique[i] == clique[j] }
			}
			for range lanes {
				for i, peer := range n.Peers {
					want := make([]float64, 4)
					for j := range n.Peers {
						if !same(i, j) {
							continue
						}
						members++
						for k, x := range kept[j*lanes+int(n.Round)%lanes] {
							want[k] += x
						}
					}
					for k, x := range peer.Belief().X {
						if math.Abs(x-want[k]) > 1e-3 { // rewards are rounded to the grid
							t.Fatalf("%+v, seed %d, peer %d: %v, want %v", p, seed, i, peer.Belief().X, want)
						}
					}
				}
				n.Play(t, nil)
			}
			if members <= 8*lanes || members >= 64*lanes {
				t.Fatalf("%+v, seed %d: %d members of 8 neighbourhoods: nothing is tested", p, seed, members)
			}
		}
	}
}

// TestRowsTravelAsManyLinks as they have hops, one a round: a peer h links away decides by a
// row h rounds after it was made, if h is not more than that, and never else.
func TestRowsTravelAsManyLinks(t *testing.T) {
	for hops := range uint64(5) {
		p := near()
		p.Hops, p.First = hops+1, 1
		for seed := range uint64(5) {
			g := protocoltest.Random(12, 2, rand.New(rand.NewPCG(seed, 4)))
			n := protocoltest.New(t, locals(g, dp.None, p))
			far := protocoltest.Distances(g)[0]
			n.Pull(t, 0, 0, 1)
			for round := range 15 {
				for i, peer := range n.Peers {
					if knows := peer.Belief().Known(0); knows != (far[i] <= min(round, int(p.Hops))) {
						t.Errorf("hops %d: peer %d, %d links away, decides by a row of %d rounds ago: %v", p.Hops, i, far[i], round, knows)
					}
				}
				for i, in := range n.Take() {
					for _, d := range in {
						if d.Message.Body() > 0 && far[i] > int(p.Hops) {
							t.Errorf("hops %d: peer %d, %d links away, gets a row", p.Hops, i, far[i])
						}
						require.Value(n.Deliver(t, i, d))(t)
					}
				}
				for i := range n.Peers {
					n.Tick(t, i)
				}
				n.Round++
			}
		}
	}
}

// TestRelaysHaveNoWord in what they pass on: a row that was changed and one that comes from
// further away than rows travel are refused, and one that a relay keeps back comes over others.
func TestRelaysHaveNoWord(t *testing.T) {
	p := near()
	p.First = 1
	n := protocoltest.New(t, locals(protocoltest.Ring(6), dp.None, p)) // 0 and 3 are three links apart
	row := n.Pull(t, 0, 0, 1)[0].Message
	for name, change := range map[string]func(d *protocoltest.Draft){
		"another number": func(d *protocoltest.Draft) { d.Label.Seq++ },
		"another origin": func(d *protocoltest.Draft) { d.Label.Origin = 2 },
		"no signature":   func(d *protocoltest.Draft) { d.Sig = nil },
	} {
		d := protocoltest.DraftOf(row)
		change(&d)
		if _, err := n.Deliver(t, 1, protocol.Delivery{From: 0, Message: d.Message()}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := n.Deliver(t, 3, protocol.Delivery{From: 2, Message: row}); err == nil || n.Peers[3].Belief().Known(0) {
		t.Error("a row from three links away is taken where two is as far as they travel")
	}
	n.Underway = nil // also on its way from 0

	ring := protocoltest.Links(4, func(link func(a, b int)) { // 0 to 2 is two links over 1 and over 3
		for _, l := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}} {
			link(l[0], l[1])
		}
	})
	n = protocoltest.New(t, locals(ring, dp.None, p))
	n.Pull(t, 0, 0, 1)
	for range 40 {
		n.Play(t, nil)
		n.Underway = slices.DeleteFunc(n.Underway, func(p protocoltest.Parcel) bool { return p.From == 1 && p.Message.Body() > 0 })
	}
	if !n.Peers[2].Belief().Known(0) {
		t.Error("a row that a relay keeps back does not come over the other one")
	}
}

// TestNoRowOfLocalIsALie checks that no row differs from every honest one: with split estimators
// each counts its own batches.
func TestNoRowOfLocalIsALie(t *testing.T) {
	p := likePapers(printed.Ball, printed.SplitEstimators)
	p.Growth = .5
	n := protocoltest.New(t, locals(protocoltest.Path(2), dp.EachLaplace, p))
	var row protocol.Message
	for range 5 {
		for _, e := range n.Pull(t, 0, 0, 1) {
			row = e.Message
		}
		n.Round += 2 // the same estimator's turn
	}
	for name, change := range map[string]func(f *dp.Fields){
		"fewer batches than they take": func(f *dp.Fields) { f.Count[0] = 5 },
		"more batches than records":    func(f *dp.Fields) { f.Count[0], f.Noise.VarianceUnits, f.Span.To = 1, 3*dp.VarianceScale, 3 },
		"another estimator":            func(f *dp.Fields) { f.Stream = 1 },
		"another width":                func(f *dp.Fields) { f.Value = f.Value[:3] },
	} {
		d := protocoltest.DraftOf(row)
		f := d.Body[0].Fields()
		change(&f)
		x := require.Value(dp.Received(vouch.For(f)))(t)
		d.Body[0] = x
		if _, err := n.Deliver(t, 1, protocol.Delivery{From: 0, Message: d.Signed(protocoltest.Keys(0))}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := n.Deliver(t, 1, protocol.Delivery{From: 0, Message: row}); err != nil {
		t.Error(err)
	}
}
