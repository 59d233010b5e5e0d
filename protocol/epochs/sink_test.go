package epochs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/epochs"
)

// hybrid returns a network of a server, peer 0, and components that a list of links has.
func hybrid(sites int, links ...[2]int) protocoltest.Setting {
	g := protocoltest.Links(sites+1, func(link func(a, b int)) {
		for i := 1; i <= sites; i++ {
			link(0, i)
		}
		for _, l := range links {
			link(l[0], l[1])
		}
	})
	return sunk(g)
}

func sunk(g protocoltest.Graph) protocoltest.Setting {
	s := protocoltest.Setting{
		Graph: g, Arms: 3, Rounds: 400, Mechanism: dp.None,
		Params: epochs.SinkParams{Server: 1, Epochs: 8, Deadline: 10, Patience: 4},
	}
	s.Learner = func() bandit.Learner { return protocoltest.Explore(s.Arms, 2, 8, true) }
	return s
}

// components are a ring of four and a path of three: 1–2–3–4–1 and 5–6–7.
func components() protocoltest.Setting {
	return hybrid(7, [2]int{1, 2}, [2]int{2, 3}, [2]int{3, 4}, [2]int{1, 4}, [2]int{5, 6}, [2]int{6, 7})
}

// explores returns choices for a network, and rewards of the arms: the forced arms, and nothing
// else.
func explores(n *protocoltest.Network, pays ...float64) func(i int) (int, float64) {
	return func(i int) (int, float64) {
		if b := n.Peers[i].Belief(); len(b.Forced) > 0 {
			return b.Forced[0], pays[b.Forced[0]]
		}
		return 0, 0 // which enters no release
	}
}

// pools returns the sites in every pool that peers send in some rounds, as text: "2: [1 2 3]".
func pools(t *testing.T, n *protocoltest.Network, rounds int, pull func(i int) (int, float64), befall func(*protocoltest.Network)) map[string]int {
	all := make(map[string]int)
	for range rounds {
		n.Play(t, pull)
		for _, p := range n.Underway {
			if d := protocoltest.DraftOf(p.Message); protocoltest.KindName(papers.All(), d.Kind) == "pool" {
				var sites []protocol.Peer
				for _, l := range d.Refs[1:] {
					sites = append(sites, l.Origin)
				}
				all[fmt.Sprintf("%d: %d", p.From, sites)]++
			}
		}
		if befall != nil {
			befall(n)
		}
	}
	return all
}

// TestForest: sinks are the vertices of least eccentricity of what is left without the server and the
// absent, and ways are shortest.
func TestForest(t *testing.T) {
	for name, c := range map[string]struct {
		s      protocoltest.Setting
		absent []protocol.Peer
		want   []protocol.Peer // parents
	}{
		"two components":        {components(), nil, []protocol.Peer{0, 0, 1, 2, 1, 6, 0, 6}},
		"a sink is absent":      {components(), []protocol.Peer{1}, []protocol.Peer{0, 0, 3, 0, 3, 6, 0, 6}},
		"a path falls apart":    {components(), []protocol.Peer{6}, []protocol.Peer{0, 0, 1, 2, 1, 0, 0, 0}},
		"all are absent":        {components(), []protocol.Peer{1, 2, 3, 4, 5, 6, 7}, make([]protocol.Peer, 8)},
		"not linked to all":     {sunk(protocoltest.Path(4)), nil, []protocol.Peer{0, 0, 1, 2}},
		"over an absent one":    {sunk(protocoltest.Path(4)), []protocol.Peer{1}, []protocol.Peer{0, 0, 1, 2}},
		"absent, over another":  {sunk(protocoltest.Path(4)), []protocol.Peer{2}, []protocol.Peer{0, 0, 1, 2}},
		"a star, and no others": {sunk(protocoltest.Star(4)), nil, make([]protocol.Peer, 4)},
		"the middle of a path":  {hybrid(5, [2]int{5, 1}, [2]int{1, 4}, [2]int{4, 2}, [2]int{2, 3}), nil, []protocol.Peer{0, 4, 4, 2, 0, 1}},
	} {
		if got := epochs.Forest(c.s.Graph, 0, c.absent); !slices.Equal(got, c.want) {
			t.Errorf("%s: ways lead over %d, want %d", name, got, c.want)
		}
	}
}

// TestSinkMeansOverSites: sites of small and large components count equally, with any number of
// records, and the stated records and noise are the mean's. With the paper's 1/Q it would be
// another.
func TestSinkMeansOverSites(t *testing.T) {
	s := components()
	s.Mechanism = dp.EachLaplace
	n := protocoltest.New(t, s)
	pays := func(i, arm int) float64 { return float64(i) / 8 * float64(arm+1) / 3 }
	for range 20 {
		n.Play(t, func(i int) (int, float64) {
			b := n.Peers[i].Belief()
			if b.Epoch > 0 || len(b.Forced) == 0 {
				return 0, 0
			}
			return b.Forced[0], pays(i, b.Forced[0])
		})
	}
	for arm := range 3 {
		x, v := 0., 0.
		for i := 1; i <= 7; i++ {
			o := n.Peers[i].Released[arm]
			x += o.Leaf.Sum.At(0) / 2 / 7
			v += o.Leaf.Sum.NoiseMoments().Over(2).LaplaceSumSq / 49
		}
		for i := 1; i <= 7; i++ {
			m := n.Peers[i].Belief().Epochs[0]
			if math.Abs(m.X[arm]-x) > 1e-6 || math.Abs(m.SampleVar[arm]-1./14) > 1e-9 || math.Abs(m.LaplaceSumSq[arm]-v) > .01*v {
				t.Errorf("peer %d, arm %d: %v, 1/n %v, noise %v; want %v, %v, %v", i, arm, m.X[arm], m.SampleVar[arm], m.LaplaceSumSq[arm], x, 1./14, v)
			}
		}
	}
}

// TestASinkIsLost: another one takes its place for as long as it is away, no other site misses an
// epoch, and only the first one takes longer.
func TestASinkIsLost(t *testing.T) {
	s := components()
	p := s.Params.(epochs.SinkParams)
	p.Epochs = 14
	s.Params, s.Learner = p, func() bandit.Learner { return protocoltest.Explore(s.Arms, 2, p.Epochs, true) }
	n := protocoltest.New(t, s)
	play := explores(n, .9, .85, .2)
	away := false
	f := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return away && (from == 1 || to == 1) }}
	for n.Peers[2].Belief().Epoch < 2 {
		n.Play(t, play)
	}
	away = true
	begin, ends := n.Round, []protocol.Round(nil)
	sent := make(map[string]int)
	for n.Peers[2].Belief().Epoch < 5 {
		for p, k := range pools(t, n, 1, play, f.Befall) {
			sent[p] += k
		}
		if e := n.Peers[2].Belief().Epoch - 2; e > uint64(len(ends)) {
			ends = append(ends, n.Round-begin)
			begin = n.Round
		}
		if n.Round > 400 {
			t.Fatalf("epoch %d", n.Peers[2].Belief().Epoch)
		}
	}
	if sent["3: [2 3 4]"] < 2 || sent["6: [5 6 7]"] < 3 {
		t.Errorf("pools with peer 1 away: %v", sent)
	}
	if ends[0] < 20 || slices.Max(ends[1:]) > 15 {
		t.Errorf("epochs with peer 1 away take %d rounds", ends)
	}
	for _, i := range []int{2, 3, 4, 5, 6, 7} {
		for r, m := range n.Peers[i].Belief().Epochs {
			if want := []float64{7, 7, 6, 6, 6}[r] * float64(2*(r+1)); math.Abs(m.SampleVar[0]*want-1) > .1 {
				t.Errorf("peer %d: the means of epoch %d are of %.1f records, want %v", i, r+1, 1/m.SampleVar[0], want)
			}
		}
	}
	away = false
	if sent = pools(t, n, 100, play, nil); sent["1: [1 2 3 4]"] < 5 {
		t.Errorf("pools after peer 1 is back: %v", sent)
	}
	if b, own := n.Peers[2].Belief(), n.Peers[1].Belief(); b.Epoch != 14 || own.Epoch != 14 || !slices.Equal(b.X, own.X) {
		t.Errorf("after all are back peers 2 and 1 are in epochs %d and %d with %v and %v", b.Epoch, own.Epoch, b.X, own.X)
	}
}

// TestTheServerIsLost: sites go on with what they have, and together when it is back, with what it
// knew or without.
func TestTheServerIsLost(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		n := protocoltest.New(t, components())
		play := explores(n, .9, .85, .2)
		for n.Peers[2].Belief().Epoch < 3 {
			n.Play(t, play)
		}
		away := true
		f := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return away && (from == 0 || to == 0) }}
		for range 100 {
			n.Play(t, play)
			f.Befall(n)
		}
		for i, p := range n.Peers[1:] {
			if b := p.Belief(); b.Epoch != 3 || len(b.Forced) > 0 || b.Own[0] < .89 {
				t.Errorf("peer %d has no server: epoch %d, %d forced, own means %v", i+1, b.Epoch, b.Forced, b.Own)
			}
		}
		if away = false; forgets {
			n.Peers[0] = n.Peer(t, 0, 1)
		}
		sent := pools(t, n, 100, play, nil)
		for i, p := range n.Peers[1:] {
			if b := p.Belief(); b.Epoch != 8 || math.Abs(b.X[0]-.9) > 1e-6 || math.Abs(b.Epochs[3].SampleVar[0]*7*8-1) > .1 {
				t.Errorf("the server is back, forgets: %v; peer %d: epoch %d, means %v, 1/n %v after epoch 4", forgets, i+1, b.Epoch, b.X, b.Epochs[3].SampleVar[0])
			}
		}
		if sent["1: [1 2 3 4]"] < 4 || sent["6: [5 6 7]"] < 4 {
			t.Errorf("forgets: %v; pools after the server is back: %v", forgets, sent)
		}
	}
}

// TestSinkEpochs: at the end of every epoch all sites hold the same means of all of them, under
// loss, repetition and absence, and however late a site begins.
func TestSinkEpochs(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := protocoltest.Random(6, 3, rng)
		if seed%2 == 0 { // every site is linked to the server
			g = hybrid(6, [2]int{1 + rng.IntN(3), 4 + rng.IntN(3)}, [2]int{1 + rng.IntN(3), 4 + rng.IntN(3)}, [2]int{1, 2}).Graph
		}
		n := protocoltest.New(t, sunk(g))
		f := protocoltest.Faults{Rand: rng, Lose: .2, Repeat: .2, Late: .2}
		late := 1 + rng.IntN(5)
		play := explores(n, .9, .85, .2)
		for r := range 700 {
			f.Cut = nil
			if r < 60 {
				f.Cut = func(from, to protocol.Peer) bool { return int(from) == late || int(to) == late }
			}
			n.Play(t, play)
			if r < 500 {
				f.Befall(n)
			}
		}
		first := sameEpochs(t, n, seed)
		if math.Abs(first.X[0]-.9) > 1e-6 {
			t.Errorf("seed %d: means %v", seed, first.X)
		}
	}
}

// TestPoolsAreShort: a sink sends one mean an arm however many sites it has, and a site receives
// no more.
func TestPoolsAreShort(t *testing.T) {
	type sent struct{ means, received int }
	of := func(sites int) (s sent) {
		var path [][2]int
		for i := 1; i < sites; i++ {
			path = append(path, [2]int{i, i + 1})
		}
		n := protocoltest.New(t, hybrid(sites, path...))
		play := explores(n, .9, .85, .2)
		for range 30 {
			n.Play(t, play)
			received := 0
			for _, p := range n.Underway {
				if d := protocoltest.DraftOf(p.Message); protocoltest.KindName(papers.All(), d.Kind) == "pool" {
					s.means = max(s.means, len(d.Body))
				}
				if p.To == 1 { // at the end of the path
					received += len(p.Message.Frame())
				}
			}
			s.received = max(s.received, received)
		}
		return s
	}
	few, many := of(3), of(15)
	if few.means != 3 || many.means != 3 || few.received == 0 || many.received > few.received+12 {
		t.Errorf("a pool of 3 sites has %d means, and of 15 %d; a site receives %d and %d bytes", few.means, many.means, few.received, many.received)
	}
}

// TestSinkRefuses what does not come the right way, or is nothing that its origin can say.
func TestSinkRefuses(t *testing.T) {
	n := protocoltest.New(t, components())
	play := explores(n, .9, .85, .2)
	seen := make(map[string]protocoltest.Parcel)
	for range 15 {
		n.Play(t, play)
		for _, p := range n.Underway {
			d, name := protocoltest.DraftOf(p.Message), protocoltest.KindName(papers.All(), p.Message.Kind())
			if len(d.Body) > 0 && (name == "report" && p.From == 5 || name == "pool" && p.From == 6 || name == "means" && p.To == 6) {
				seen[name] = p
			}
		}
	}
	n.Hostile = true
	site := func(p protocol.Peer) protocol.Label { return protocol.Label{Origin: p} }
	refuses(t, n, seen, map[string]lie{
		"a report of the server":          {"report", "sums of a site", 0, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 0 }},
		"a report from the server":        {"report", "sums of a site", 5, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From = 0 }},
		"a report of mine":                {"report", "sums of a site", 6, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 6 }},
		"a report of nobody":              {"report", "sums of a site", 9, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 9 }},
		"a report from a stranger":        {"report", "want a neighbour", 5, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From = 1 }},
		"a report that holds no means":    {"report", "number of the means", 5, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Refs = nil }},
		"a report out of order":           {"report", "ascending", 5, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { slices.Reverse(d.Body) }},
		"a report that another one signs": {"report", "not signed", 7, func(_ *protocoltest.Parcel, _ *protocoltest.Draft) {}},
		"means of a site":                 {"means", "want the coordinator's", 2, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Origin = 2 }},
		"means without a number":          {"means", "want means with a number", 0, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Label.Seq = 0 }},
		"means of no arm":                 {"means", "want means", 0, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Body = nil }},
		"means that nobody signed":        {"means", "not signed", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Sig[0]++ }},
		"means that name nobody":          {"means", "absent, ascending", 0, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Refs = append(d.Refs, site(9)) }},
		"means that name the server":      {"means", "absent, ascending", 0, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Refs = append(d.Refs, site(0)) }},
		"means to the server":             {"means", "means of mine", 0, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From, p.To = 6, 0 }},
		"a pool to a site":                {"pool", "at the server", 6, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From, p.To = 6, 5 }},
		"a pool from another one":         {"pool", "from its sink", 6, func(p *protocoltest.Parcel, _ *protocoltest.Draft) { p.From = 5 }},
		"a pool of no sites":              {"pool", "sites of a pool", 6, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Refs = d.Refs[:1] }},
		"a pool out of order":             {"pool", "sites of a pool", 6, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { slices.Reverse(d.Refs[1:]) }},
		"a pool of fewer sites":           {"pool", "a mean over more than the 2 sites", 6, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Refs = d.Refs[:3] }},
		"a pool that nobody signed":       {"pool", "not signed", nobody, func(_ *protocoltest.Parcel, d *protocoltest.Draft) { d.Sig[0]++ }},
	})
}

// TestNoSiteStopsTheServer: numbers with which means cannot be computed are refused, with any
// signature, so that they stop neither a sink nor the server.
func TestNoSiteStopsTheServer(t *testing.T) {
	s := components()
	s.Mechanism = dp.EachLaplace
	n := protocoltest.New(t, s)
	play := explores(n, .9, .85, .2)
	var honest []protocoltest.Parcel
	for len(honest) < 2 {
		n.Play(t, play)
		for _, p := range n.Underway {
			if d := protocoltest.DraftOf(p.Message); len(d.Body) > 0 && (p.From == 5 && d.Label.Origin == 5 || p.From == 6 && p.To == 0) {
				honest = append(honest, p)
			}
		}
	}
	n.Hostile = true
	for name, change := range map[string]func(f *dp.Fields){
		"records": func(f *dp.Fields) { f.Count[0] = 1 << 60 },
		"terms":   func(f *dp.Fields) { f.Noise.VarianceUnits = 1<<32 - 1 },
		"law":     func(f *dp.Fields) { f.Noise.Law = dp.Gaussian },
	} {
		for _, p := range honest {
			d, r := protocoltest.DraftOf(p.Message), protocoltest.DraftOf(p.Message).Body[0]
			f := dp.Fields{Stream: r.Stream(), Span: r.Span(), Value: []int64{r.Value(0)}, Exponent: r.Exponent(), Noise: r.Noise()}
			for i := range r.Counts() {
				f.Count = append(f.Count, r.Count(i))
			}
			change(&f)
			lie, err := dp.Received(vouch.For(f))
			if err != nil {
				t.Fatal(err)
			}
			d.Body[0] = lie
			if _, err := n.Deliver(t, int(p.To), protocol.Delivery{From: p.From, Message: d.Signed(protocoltest.Keys(d.Label.Origin))}); err == nil {
				t.Errorf("%s of a %s are taken", name, protocoltest.KindName(papers.All(), d.Kind))
			}
		}
	}
	for range 100 {
		n.Play(t, play) // fails if a peer stops
	}
	if e := n.Peers[2].Belief().Epoch; e != 8 {
		t.Errorf("epoch %d, want 8", e)
	}
}
