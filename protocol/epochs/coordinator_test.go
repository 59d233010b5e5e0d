package epochs_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/epochs"
)

func coordinated(g protocoltest.Graph, schedule epochs.Schedule) protocoltest.Setting {
	s := protocoltest.Setting{
		Graph: g, Arms: 3, Rounds: 400, Mechanism: dp.None,
		Params: epochs.CoordinatorParams{Schedule: schedule, Coordinator: 1, Epochs: 8, Deadline: 10, Patience: 4, Participation: 1},
	}
	if schedule == epochs.ByEpoch {
		s.Learner = func() bandit.Learner { return protocoltest.Explore(s.Arms, 2, 8, true) }
	}
	return s
}

// obeys returns choices for a network: the forced arms first, then the learner's, and rewards of
// the arms.
func obeys(n *protocoltest.Network, pays ...float64) func(i int) (int, float64) {
	return func(i int) (int, float64) {
		b := n.Peers[i].Belief()
		arm := slices.Index(b.Pulls, slices.Min(b.Pulls))
		if slices.Min(b.Pulls) > 0 {
			arm = slices.Index(b.X, slices.Max(b.X))
		}
		if len(b.Forced) > 0 {
			arm = b.Forced[0]
		}
		return arm, pays[arm]
	}
}

// reports returns the rounds in which a peer has sent a report.
func reports(t *testing.T, n *protocoltest.Network, from, rounds int, pull func(i int) (int, float64)) (at []int) {
	for range rounds {
		n.Play(t, pull)
		for _, p := range n.Underway {
			if p.From == protocol.Peer(from) && protocoltest.KindName(papers.All(), p.Message.Kind()) == "report" {
				at = append(at, int(n.Round)-1)
			}
		}
	}
	return at
}

// TestCoordinatorDoubles: after the switch at the first answer exchanges are 1, 2, 4, 8 and so on
// rounds apart, where an answer takes two, and all sites play one arm between.
func TestCoordinatorDoubles(t *testing.T) {
	n := protocoltest.New(t, coordinated(protocoltest.Star(5), epochs.Doubling))
	at := reports(t, n, 2, 100, obeys(n, .9, .5, .1))
	// Three arms in rounds 0 to 2; answers are there two rounds after reports, in rounds 4, 6, 8,
	// 12, 20 and so on. The exchange of round 6 would be in round 5 if messages took no time.
	if want := []int{2, 4, 6, 10, 18, 34, 66}; !slices.Equal(at, want) {
		t.Errorf("reports in rounds %d, want %d", at, want)
	}
	for i, p := range n.Peers[1:] {
		b := p.Belief()
		if !slices.Equal(b.Forced, []int{0}) || math.Abs(b.X[0]-.9) > 1e-6 || b.PerSite[0] < 60 {
			t.Errorf("peer %d: %v forced, means %v of %v", i+1, b.Forced, b.X, b.PerSite)
		}
		if !slices.Equal(b.Pulls, n.Peers[1].Pulls) || !slices.Equal(b.X, n.Peers[1].Belief().X) {
			t.Errorf("peer %d plays %v and believes %v; peer 1 %v and %v", i+1, b.Pulls, b.X, n.Peers[1].Pulls, n.Peers[1].Belief().X)
		}
	}
}

// TestCoordinatorMeansOverSites: sites with different numbers of rewards count equally, on any
// graph, and the stated records and noise are the mean's.
func TestCoordinatorMeansOverSites(t *testing.T) {
	for name, g := range map[string]protocoltest.Graph{"star": protocoltest.Star(4), "path": protocoltest.Path(4), "ring": protocoltest.Ring(4)} {
		s := coordinated(g, epochs.Doubling)
		s.Mechanism = dp.Tree
		n := protocoltest.New(t, s)
		for i := 1; i < 4; i++ {
			for arm := range 3 {
				for range i { // peer i has i rewards of every arm
					n.Pull(t, i, arm, float64(i)/4)
				}
			}
		}
		for range 8 {
			n.Play(t, nil)
		}
		for arm := range 3 {
			var x, inverse, v float64
			for i := 1; i < 4; i++ {
				var newest dp.Release
				for _, o := range n.Peers[i].Released {
					if int(o.Stream) == arm {
						newest = o.Leaf.Sum
					}
				}
				k := float64(i)
				x += newest.At(0) / k / 3
				inverse += 1 / k / 9
				v += newest.NoiseMoments().Over(k).LaplaceSumSq / 9
			}
			for i := 1; i < 4; i++ {
				b := n.Peers[i].Belief()
				if math.Abs(b.X[arm]-x) > 1e-6 || b.SampleVar[arm] < inverse || b.SampleVar[arm] > 1.3*inverse || math.Abs(b.LaplaceSumSq[arm]-v) > .01*v {
					t.Errorf("%s, peer %d, arm %d: %v, 1/n %v, noise %v; want %v, %v, %v", name, i, arm, b.X[arm], b.SampleVar[arm], b.LaplaceSumSq[arm], x, inverse, v)
				}
			}
		}
	}
}

// TestCoordinatorIsLost: sites that hear nothing of it go on alone, each with its own sums, and
// freely; when it is back, with what it knew or without, they go on together.
func TestCoordinatorIsLost(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		n := protocoltest.New(t, coordinated(protocoltest.Star(4), epochs.Doubling))
		play := obeys(n, .9, .5, .1)
		for range 30 {
			n.Play(t, play)
		}
		away := true
		f := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return away && (from == 0 || to == 0) }}
		for range 80 {
			n.Play(t, play)
			f.Befall(n)
		}
		for i, p := range n.Peers[1:] {
			if b := p.Belief(); len(b.Forced) > 0 || math.Abs(b.SampleVar[0]*float64(p.Pulls[0])-1) > .1 {
				t.Errorf("peer %d has no coordinator: %d forced, 1/n %v after %d pulls", i+1, b.Forced, b.SampleVar[0], p.Pulls[0])
			}
		}
		if away = false; forgets {
			n.Peers[0] = n.Peer(t, 0, 1)
		}
		for range 12 {
			n.Play(t, play)
		}
		for i, p := range n.Peers[1:] {
			if b := p.Belief(); len(b.Forced) == 0 || b.SampleVar[0]*float64(p.Pulls[0]) > .5 {
				t.Errorf("the coordinator is back, forgets: %v; peer %d: %d forced, 1/n %v after %d pulls", forgets, i+1, b.Forced, b.SampleVar[0], p.Pulls[0])
			}
		}
	}
}

// TestCoordinatorDoesWithoutASite: one that reports nothing more holds the others up for the deadline, and
// counts with what it has reported.
func TestCoordinatorDoesWithoutASite(t *testing.T) {
	n := protocoltest.New(t, coordinated(protocoltest.Star(4), epochs.Doubling))
	play := obeys(n, .9, .5, .1)
	gone := false
	f := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return gone && (from == 3 || to == 3) }}
	for range 20 {
		n.Play(t, play)
	}
	gone = true
	for range 150 {
		n.Play(t, play)
		f.Befall(n)
	}
	b, left := n.Peers[1].Belief(), n.Peers[3].Belief()
	if b.PerSite[0] < 15 || b.SampleVar[0] > 1./15 || len(b.Forced) == 0 {
		t.Errorf("with a site away: %v rewards a site, 1/n %v, %d forced", b.PerSite[0], b.SampleVar[0], b.Forced)
	}
	if len(left.Forced) > 0 {
		t.Errorf("the site that is away is forced to %d", left.Forced)
	}
}

// TestCoordinatorAnswersAreShort: what a site receives does not grow with their number.
func TestCoordinatorAnswersAreShort(t *testing.T) {
	size := func(peers int) (most int) {
		n := protocoltest.New(t, coordinated(protocoltest.Star(peers), epochs.Doubling))
		play := obeys(n, .9, .5, .1)
		for range 40 {
			n.Play(t, play)
			bytes := 0
			for _, p := range n.Underway {
				if p.To == 1 {
					bytes += len(p.Message.Frame())
				}
			}
			most = max(most, bytes)
		}
		return most
	}
	if few, many := size(3), size(60); many > few+12 || few == 0 {
		t.Errorf("an answer has %d bytes with 2 sites and %d with 59", few, many)
	}
}

// lie is a message that was changed, and how it is refused. Its signature is computed again, unless no peer signs.
type lie struct {
	kind, want string
	signer     protocol.Peer
	change     func(p *protocoltest.Parcel, d *protocoltest.Draft)
}

const nobody = protocol.Peer(99)

// refuses changes messages that were seen, by kind, and delivers them.
func refuses(t *testing.T, n *protocoltest.Network, seen map[string]protocoltest.Parcel, lies map[string]lie) {
	t.Helper()
	for name, c := range lies {
		p, ok := seen[c.kind]
		if !ok {
			t.Fatalf("no %s was heard", c.kind)
		}
		d := protocoltest.DraftOf(p.Message)
		c.change(&p, &d)
		m := d.Message()
		if c.signer != nobody {
			m = d.Signed(protocoltest.Keys(c.signer))
		}
		if _, err := n.Deliver(t, int(p.To), protocol.Delivery{From: p.From, Message: m}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestCoordinatorRefuses what does not come the right way, or is nothing that its origin can say.
func TestCoordinatorRefuses(t *testing.T) {
	n := protocoltest.New(t, coordinated(protocoltest.Path(4), epochs.Doubling)) // 1 passes on what 2 and 3 report
	play := obeys(n, .9, .5, .1)
	seen := make(map[string]protocoltest.Parcel)
	for range 12 {
		n.Play(t, play)
		for _, p := range n.Underway {
			if l := p.Message.Label(); p.To == 1 && (l.Origin == 3 || l.Origin == 0) {
				seen[protocoltest.KindName(papers.All(), p.Message.Kind())] = p
			}
		}
	}
	refuses(t, n, seen, map[string]lie{
		"a report of the coordinator":      {"report", "sums of a site", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 0 }},
		"a report from above":              {"report", "sums of a site", nobody, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From = 0 }},
		"a report of nobody":               {"report", "sums of a site", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 9 }},
		"a report from a stranger":         {"report", "want a neighbour", nobody, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From = 3 }},
		"a report that holds no means":     {"report", "number of the means", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Refs = nil }},
		"a report out of order":            {"report", "ascending", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { slices.Reverse(d.Body) }},
		"a report that another one signed": {"report", "not signed", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 2 }},
		"means from below":                 {"means", "along the way", nobody, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From = 2 }},
		"means of a site":                  {"means", "want the coordinator's", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 2 }},
		"means without a number":           {"means", "want means with a number", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Seq = 0 }},
		"means of no arm":                  {"means", "want means", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Body = nil }},
		"means out of order":               {"means", "ascending", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { slices.Reverse(d.Body) }},
		"means that nobody signed":         {"means", "not signed", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Sig[0]++ }},
	})
}

// TestCoordinatorEpochs: at the end of every epoch all sites hold the same means of all of them,
// under loss and repetition too, and however late a site begins.
func TestCoordinatorEpochs(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := coordinated(protocoltest.Random(5, 3, rng), epochs.ByEpoch)
		n := protocoltest.New(t, s)
		f := protocoltest.Faults{Rand: rng, Lose: .2, Repeat: .2, Late: .2}
		late := 1 + rng.IntN(4)
		play := func(i int) (int, float64) {
			if b := n.Peers[i].Belief(); len(b.Forced) > 0 {
				return b.Forced[0], []float64{.9, .85, .2}[b.Forced[0]]
			}
			return 0, 0 // which enters no release
		}
		for r := range 400 {
			f.Cut = nil
			if r < 100 {
				f.Cut = func(from, to protocol.Peer) bool { return int(from) == late || int(to) == late }
			}
			n.Play(t, play)
			if r < 300 {
				f.Befall(n)
			}
		}
		first := sameEpochs(t, n, seed)
		if math.Abs(first.X[0]-.9) > 1e-6 || first.Known(2) && math.Abs(first.X[2]-.2) > 1e-6 {
			t.Errorf("seed %d: means %v", seed, first.X)
		}
	}
}

// sameEpochs returns what peer 1 believes, after checking that eight epochs have ended and that
// all peers with arms hold the same means of each.
func sameEpochs(t *testing.T, n *protocoltest.Network, seed uint64) *bandit.Belief {
	t.Helper()
	first := n.Peers[1].Belief()
	if first.Epoch != 8 || len(first.Epochs) != 8 {
		t.Fatalf("seed %d: %d epochs of 8 have ended", seed, first.Epoch)
	}
	for i, p := range n.Peers[1:] {
		b := p.Belief()
		if b.Epoch != first.Epoch {
			t.Errorf("seed %d: peer %d is in epoch %d", seed, i+1, b.Epoch)
			continue
		}
		for r := range b.Epochs {
			if !slices.Equal(b.Epochs[r].X, first.Epochs[r].X) || !slices.Equal(b.Epochs[r].SampleVar, first.Epochs[r].SampleVar) {
				t.Errorf("seed %d: after epoch %d peer %d holds %v, peer 1 %v", seed, r+1, i+1, b.Epochs[r].X, first.Epochs[r].X)
			}
		}
	}
	return first
}

// TestCoordinatorIsNotFarAhead: what a coordinator or a site says of the number of an epoch costs the
// others no memory, whatever it says.
func TestCoordinatorIsNotFarAhead(t *testing.T) {
	n := protocoltest.New(t, coordinated(protocoltest.Star(3), epochs.ByEpoch))
	play := obeys(n, .9, .85, .2)
	const far = 1 << 40
	refused, lied := false, false
	for range 300 {
		for _, p := range n.Underway {
			d := protocoltest.DraftOf(p.Message)
			switch protocoltest.KindName(papers.All(), p.Message.Kind()) {
			case "means":
				d.Label.Seq, d.Refs[0].Seq = far, far
				if _, err := n.Deliver(t, 1, protocol.Delivery{From: 0, Message: d.Signed(protocoltest.Keys(0))}); err != nil && strings.Contains(err.Error(), "want at most") {
					refused = true
				}
			case "report":
				if d.Label.Origin == 2 && len(d.Body) > 0 {
					d.Refs[0].Seq, lied = far, true
					_, _ = n.Deliver(t, 0, protocol.Delivery{From: 2, Message: d.Signed(protocoltest.Keys(2))})
				}
			}
		}
		n.Play(t, play)
	}
	if !refused || !lied {
		t.Fatalf("means far ahead were refused: %v, a site lied: %v", refused, lied)
	}
	if b := n.Peers[1].Belief(); b.Epoch < 1 || b.Epoch > 100 {
		t.Errorf("the other site is in epoch %d", b.Epoch)
	}
}

// TestCoordinatorForgetsEpochs: a coordinator that has lost all it knew goes on with the epoch in
// which most sites are.
func TestCoordinatorForgetsEpochs(t *testing.T) {
	n := protocoltest.New(t, coordinated(protocoltest.Star(5), epochs.ByEpoch))
	play := obeys(n, .9, .85, .2)
	for n.Peers[1].Belief().Epoch < 3 {
		n.Play(t, play)
	}
	n.Peers[0] = n.Peer(t, 0, 1)
	n.Peers[4] = n.Peer(t, 4, 1) // and a site that starts again
	for range 200 {
		n.Play(t, play)
	}
	for i, p := range n.Peers[1:] {
		if b := p.Belief(); b.Epoch != 8 || len(b.Epochs) != 8 || !b.Epochs[7].Known(0) || math.Abs(b.X[0]-.9) > 1e-6 {
			t.Errorf("peer %d: %d epochs, means %v", i+1, b.Epoch, b.X)
		}
	}
}

// TestCoordinatorDrawsSites: a share of the sites reports, another one in every epoch, and all
// explore, release and go on with the means of those. What another one reports is refused.
func TestCoordinatorDrawsSites(t *testing.T) {
	s := coordinated(protocoltest.Star(6), epochs.ByEpoch)
	p := s.Params.(epochs.CoordinatorParams)
	p.Participation = .3 // 2 of 5
	s.Params = p
	if n := protocol.Origins(p, 5); n != 2 {
		t.Fatalf("%d of 5 sites take part, want 2", n)
	}
	n := protocoltest.New(t, s)
	play := obeys(n, .9, .85, .2)
	in, all := make(map[uint64]map[protocol.Peer]bool), make(map[protocol.Peer]bool)
	for range 300 {
		n.Play(t, play)
		for _, u := range n.Underway {
			switch d := protocoltest.DraftOf(u.Message); {
			case protocoltest.KindName(papers.All(), d.Kind) == "means" && d.Body[0].Count(1) != 2:
				t.Errorf("means of epoch %d are over %d sites, want 2", d.Label.Seq, d.Body[0].Count(1))
			case protocoltest.KindName(papers.All(), d.Kind) == "report" && len(d.Body) > 0:
				epoch := d.Refs[0].Seq + 1
				if in[epoch] == nil {
					in[epoch] = make(map[protocol.Peer]bool)
				}
				in[epoch][d.Label.Origin], all[d.Label.Origin] = true, true
			}
		}
	}
	for epoch := uint64(1); epoch <= 8; epoch++ {
		if len(in[epoch]) != 2 {
			t.Errorf("%d sites report in epoch %d, want 2", len(in[epoch]), epoch)
		}
	}
	if len(all) < 3 {
		t.Errorf("the same %d sites report in every epoch", len(all))
	}
	for i, p := range n.Peers[1:] {
		if b := p.Belief(); b.Epoch != 8 || math.Abs(b.X[0]-.9) > 1e-6 || p.Leaves() != 3+4*2+3 { // arms go after epochs 1 and 5
			t.Errorf("peer %d: %d epochs, means %v, %d leaves", i+1, b.Epoch, b.X, p.Leaves())
		}
	}
	for origin := protocol.Peer(1); origin < 6; origin++ {
		d := protocoltest.Draft{
			Kind: protocoltest.KindOf(s.Params, "report"), Label: protocol.Label{Origin: origin, Seq: 1}, Refs: []protocol.Label{{Seq: 0}}, Body: []dp.Release{n.Peers[origin].Released[0].Leaf.Sum},
		}
		_, err := n.Deliver(t, 0, protocol.Delivery{From: origin, Message: d.Signed(protocoltest.Keys(origin))})
		if refused := err != nil && strings.Contains(err.Error(), "takes no part"); refused == in[1][origin] {
			t.Errorf("peer %d reports in epoch 1, in which it takes part: %v; %v", origin, in[1][origin], err)
		}
	}
}
