package epochs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/epochs"
)

// A gisField is a network of peers that explore in epochs and pull what their learners choose.
type gisField struct {
	*protocoltest.Network
	adv, req, data protocol.Kind
	means          []float64 // of the arms, which pay 0 or 1
	rng            *rand.Rand
	asked          map[[2]protocol.Peer]map[protocol.Label]int // requests, by the peers that ask and are asked
	bytes, active  int                                         // of messages; links and rounds in which a contribution crossed
}

func newGISField(t *testing.T, g protocoltest.Graph, change func(p *epochs.GISParams), learner func() bandit.Learner) *gisField {
	t.Helper()
	entry := require.Value(protocoltest.Lookup(papers.All(), "gis"))(t)
	p := entry.(epochs.GISParams)
	if change != nil {
		change(&p)
	}
	if learner == nil {
		learner = func() bandit.Learner { return protocoltest.Explore(2, 2, 8, false) }
	}
	s := protocoltest.Setting{
		Params: p, Graph: g, Arms: learner().Statistic().Parts, Rounds: 1000, Mechanism: dp.EachLaplace, Seed: 5, Learner: learner,
	}
	f := &gisField{
		Network: protocoltest.New(t, s), adv: protocoltest.KindOf(entry, "adv"), req: protocoltest.KindOf(entry, "req"), data: protocoltest.KindOf(entry, "data"), rng: rand.New(rand.NewPCG(5, 5)),
		asked: make(map[[2]protocol.Peer]map[protocol.Label]int), means: []float64{.9, .2, .5, .4},
	}
	return f
}

// play plays a round and looks at what is sent in it.
func (f *gisField) play(t *testing.T) {
	t.Helper()
	f.Play(t, func(i int) (int, float64) {
		arm := int(f.Peers[i].Choose(bandit.Turn{Round: uint64(f.Round)}).Arm())
		reward := 0.
		if f.rng.Float64() < f.means[arm] {
			reward = 1
		}
		return arm, reward
	})
	links := make(map[[2]protocol.Peer]bool)
	for _, p := range f.Underway {
		m := p.Message
		f.bytes += len(m.Frame())
		switch m.Kind() {
		case f.data:
			links[[2]protocol.Peer{min(p.From, p.To), max(p.From, p.To)}] = true
		case f.req:
			pair := [2]protocol.Peer{p.From, p.To}
			if f.asked[pair] == nil {
				f.asked[pair] = make(map[protocol.Label]int)
			}
			for _, l := range protocoltest.DraftOf(m).Refs {
				f.asked[pair][l]++
			}
		default:
		}
	}
	f.active += len(links)
}

// until plays until all peers except some have completed an epoch, or fails after a number of
// rounds.
func (f *gisField) until(t *testing.T, epoch uint64, rounds int, except ...int) (played int) {
	t.Helper()
	for ; played < rounds; played++ {
		if f.least(except...) >= epoch {
			return played
		}
		f.play(t)
	}
	t.Fatalf("epoch %d is not complete after %d rounds", epoch, rounds)
	return played
}

func (f *gisField) least(except ...int) uint64 {
	least := uint64(math.MaxUint64)
	for i, p := range f.Peers {
		if !slices.Contains(except, i) {
			least = min(least, p.Belief().Epoch)
		}
	}
	return least
}

// crossed returns how often contributions crossed a link in all, by label, and the most that
// one did the same link.
func (f *gisField) crossed() (by map[protocol.Label]int, most int) {
	by = make(map[protocol.Label]int)
	for c, n := range f.Crossed {
		if c.Kind == f.data {
			by[c.Label] += n
			most = max(most, n)
		}
	}
	return by, most
}

func gisGraph(t *testing.T, name string, n int) protocoltest.Graph {
	t.Helper()
	switch name {
	case "ring":
		return protocoltest.Ring(n)
	case "star":
		return protocoltest.Star(n)
	case "complete":
		return protocoltest.Complete(n)
	}
	return protocoltest.Random(n, 2*n, rand.New(rand.NewPCG(9, 9)))
}

// TestGISOnGraphs: with 50 peers and without loss every epoch takes three rounds for each link
// of the diameter, every peer receives every contribution of another once, and the links
// by which contributions cross are counted as in Table I of the paper. No epoch after the first
// begins everywhere at once, which the paper has a clock for: the hub of a star ends each three
// rounds early, and so sends its own next contribution in a round of its own.
func TestGISOnGraphs(t *testing.T) {
	const peers = 50
	played := uint64(1)
	if os.Getenv("PEERD_LONG") != "" {
		played = 5
	}
	for name, links := range map[string]int{"ring": 1250, "star": 98, "complete": 1225, "random": 0} {
		t.Run(name, func(t *testing.T) {
			f := newGISField(t, gisGraph(t, name, peers), nil, nil)
			diameter := epochs.Diameter(f.Graph)
			for epoch := range played {
				f.bytes, f.active = 0, 0
				explore := 4 // two arms, two pulls; in the last of these rounds all release
				if epoch > 0 {
					explore-- // the first of them is that in which the last epoch ended
				}
				if got, want := f.until(t, epoch+1, 500), explore+3*diameter; got != want {
					t.Errorf("epoch %d takes %d rounds, want %d", epoch+1, got, want)
				}
				links := links
				if epoch > 0 && name == "star" {
					links += peers - 1
				}
				t.Logf("epoch %d: diameter %d, %d rounds from release to the end, %d links, %d bytes", epoch+1, diameter, 3*diameter, f.active, f.bytes)
				// On a ring the farthest peer may ask either neighbour, so a link may rest.
				if links > 0 && (f.active > links || f.active < links-1) {
					t.Errorf("epoch %d: contributions crossed %d links, counted by round; the paper's Table I has %d", epoch+1, f.active, links)
				}
			}
			by, most := f.crossed()
			for label, n := range by {
				if label.Seq > played { // under way
					delete(by, label)
				} else if n != peers-1 {
					t.Errorf("%+v was sent %d times, want %d", label, n, peers-1)
				}
			}
			if len(by) != peers*int(played) || most != 1 {
				t.Errorf("%d contributions were sent, want %d; at most %d times over one link, want once", len(by), peers*int(played), most)
			}
		})
	}
}

// TestGISHealsLossAndRestarts: with 30 % loss, and a tenth of the peers restarted in every
// epoch, all epochs end, peers that hold the same contributions have the same arms left, and
// a while later all hold all.
func TestGISHealsLossAndRestarts(t *testing.T) {
	seeds, peers := uint64(1), 12
	if os.Getenv("PEERD_LONG") != "" {
		seeds, peers = 5, 50
	}
	const epochs = 6
	for _, name := range []string{"ring", "star", "complete", "random"} {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				f := newGISField(t, gisGraph(t, name, peers), nil, func() bandit.Learner {
					return eliminating(t, learner.EliminationParams{Length: 1, Alpha: .5, Rounds: epochs, Gap: .2}, 4, peers)
				})
				f.means = []float64{.9, .9, .1, .5} // the two best arms stay
				h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .3}
				restarted, compared := uint64(0), 0
				play := func() {
					f.play(t)
					h.Befall(f.Network)
					if now := f.least(); now >= restarted && now < epochs {
						restarted = now + 1
						for range (peers + 9) / 10 {
							i := h.Rand.IntN(peers)
							f.Restart(t, i, 0)
							f.Underway = slices.DeleteFunc(f.Underway, func(p protocoltest.Parcel) bool { return int(p.To) == i })
						}
					}
					if f.Round%16 == 0 {
						compared += f.agree(t, 1)
					}
				}
				rounds := 0
				for ; f.least() < epochs; rounds++ {
					if rounds > 4000 {
						t.Fatalf("%d epochs have ended in 4,000 rounds, want %d", f.least(), epochs)
					}
					play()
				}
				healing := 0
				for ; f.held(epochs) < peers*peers*epochs; healing++ {
					if healing > 20000 { // neighbours that are silent are advertised to ever more rarely
						t.Fatalf("%d contributions are held 20,000 rounds later, want %d", f.held(epochs), peers*peers*epochs)
					}
					play()
				}
				if f.agree(t, epochs) != peers-1 {
					t.Error("all contributions are held, and peers disagree")
				}
				by, most := f.crossed()
				sent := 0
				for _, n := range by {
					sent += n
				}
				t.Logf("%d epochs in %d rounds, all contributions %d rounds later; %.2f messages a contribution and peer, at most %d on one link; %d comparisons",
					epochs, rounds, healing, float64(sent)/float64(peers*(peers-1)*epochs), most, compared)
			})
		}
	}
}

// eliminating returns the learner of the protocol's paper for a number of peers, without
// noise in the lengths of its epochs.
func eliminating(t *testing.T, p learner.EliminationParams, arms, peers int) bandit.Learner {
	t.Helper()
	return require.Value(bandit.New(p, bandit.Config{Arms: arms, Peers: peers, Horizon: 1000, Epsilon: math.Inf(1)}))(t)
}

// held returns how many contributions of some epochs all peers hold.
func (f *gisField) held(until uint64) (n int) {
	for _, p := range f.Peers {
		n += len(epochs.HeldContributions(p.Protocol, until))
	}
	return n
}

// agree fails if two peers that hold the same contributions of their complete until believe
// different things. It looks at peers with a number of complete until, and returns how many
// were compared with one before.
func (f *gisField) agree(t *testing.T, until uint64) (compared int) {
	t.Helper()
	seen := make(map[string]string)
	for i, p := range f.Peers {
		b := p.Belief()
		if b.Epoch < until {
			continue
		}
		held := fmt.Sprint(epochs.HeldContributions(p.Protocol, b.Epoch))
		says := fmt.Sprint(b.Epochs, f.Learner().(bandit.Phased).Quota(b))
		if was, ok := seen[held]; ok {
			compared++
			if was != says {
				t.Fatalf("round %d: peer %d believes something else than a peer that holds the same", f.Round, i)
			}
		}
		seen[held] = says
	}
	return compared
}

// TestASilentNeighbourIsWorkedAround: one that advertises what it holds and passes nothing on
// makes until at most 1.5 times as long, and no contribution is requested of it twice.
func TestASilentNeighbourIsWorkedAround(t *testing.T) {
	const silent, until = 3, 4
	play := func(silence bool) (rounds int, f *gisField) {
		f = newGISField(t, gisGraph(t, "random", 20), nil, func() bandit.Learner { return protocoltest.Explore(2, 10, 8, false) })
		for f.least() < until && rounds < 1000 {
			f.play(t)
			rounds++
			if silence {
				f.Underway = slices.DeleteFunc(f.Underway, func(p protocoltest.Parcel) bool {
					return p.From == silent && p.Message.Kind() == f.data && p.Message.Label().Origin != silent
				})
			}
		}
		return rounds, f
	}
	usual, _ := play(false)
	slow, f := play(true)
	t.Logf("%d until take %d rounds, with a silent neighbour %d", until, usual, slow)
	if float64(slow) > 1.5*float64(usual) {
		t.Errorf("%d until take %d rounds, with a silent neighbour %d", until, usual, slow)
	}
	of := 0
	for pair, labels := range f.asked {
		for l, n := range labels {
			if n > 1 {
				t.Errorf("peer %d requests %+v of peer %d %d times", pair[0], l, pair[1], n)
			}
			if pair[1] == silent && l.Origin != silent {
				of++
			}
		}
	}
	if of == 0 {
		t.Error("nothing was requested of the silent neighbour: nothing is tested")
	}
	by, _ := f.crossed()
	for l := range by {
		if l.Seq <= until && len(epochs.HeldContributions(f.Peers[0].Protocol, until)) < 20*until {
			t.Fatalf("peer 0 holds %d contributions, want all", len(epochs.HeldContributions(f.Peers[0].Protocol, until)))
		}
	}
}

// TestAnEpochEndsAtItsDeadline without a peer that is away, with wider radii; what comes late
// is merged into its epoch, once.
func TestAnEpochEndsAtItsDeadline(t *testing.T) {
	const peers, away, deadline = 6, 2, 17
	f := newGISField(t, protocoltest.Complete(peers), func(p *epochs.GISParams) { p.Deadline = deadline }, nil)
	absent := f.Peers[away]
	hide := func() {
		f.Underway = slices.DeleteFunc(f.Underway, func(p protocoltest.Parcel) bool { return p.From == away || p.To == away })
	}
	for range 3 + deadline { // all release in round 3
		f.play(t)
		hide()
		if f.least(away) > 0 {
			t.Fatalf("epoch 1 is over in round %d", f.Round-1)
		}
	}
	f.play(t)
	hide()
	if f.least(away) != 1 || absent.Belief().Epoch != 1 {
		t.Fatalf("epochs %d and %d in round %d, want 1 at the deadline", f.least(away), absent.Belief().Epoch, f.Round-1)
	}
	early := f.Peers[0].Belief()
	before, was := early.Epochs[0].SampleVar[0], early.Revision
	if want := 1 / (2. * (peers - 1)); math.Abs(before-want) > 1e-12 || math.Abs(absent.Belief().Epochs[0].SampleVar[0]-1./2) > 1e-12 {
		t.Errorf("sample variances %v and %v, want %v and %v", before, absent.Belief().Epochs[0].SampleVar[0], want, 1./2)
	}
	for range 60 { // it is back
		f.play(t)
	}
	b := f.Peers[0].Belief()
	if want := 1 / (2. * peers); math.Abs(b.Epochs[0].SampleVar[0]-want) > 1e-12 || b.Revision <= was {
		t.Errorf("sample variance %v after the late contribution, want %v", b.Epochs[0].SampleVar[0], want)
	}
	f.agree(t, 1)
	if by, _ := f.crossed(); by[protocol.Label{Origin: away, Seq: 1}] < peers-1 {
		t.Errorf("the late contribution was sent %d times", by[protocol.Label{Origin: away, Seq: 1}])
	}
}

// TestALostLifeGoesOn from what the others hold of it: it releases no epoch again.
func TestALostLifeGoesOn(t *testing.T) {
	const lost = 1
	f := newGISField(t, protocoltest.Ring(5), nil, func() bandit.Learner { return protocoltest.Explore(2, 12, 8, false) })
	f.until(t, 3, 200)
	seat := f.Peer(t, lost, 0)
	state, _, err := seat.AbandonLeaves(10)
	if err != nil {
		t.Fatal(err)
	}
	next := f.Peer(t, lost, 1)
	require.NoError(t, next.Load(state))
	f.Peers[lost] = next
	f.until(t, 5, 400)
	labels := make(map[uint64]uint32)
	for _, l := range epochs.HeldContributions(f.Peers[3].Protocol, 5) {
		if l.Origin == lost {
			labels[l.Seq] = l.Incarnation
		}
	}
	if fmt.Sprint(labels) != "map[1:0 2:0 3:0 4:1 5:1]" {
		t.Errorf("contributions of the lost life by epoch and incarnation: %v", labels)
	}
	// Each of 5 sites has released 60 rewards of each arm; the one that was lost had begun an
	// epoch that had ended, too.
	if n := 1 / f.Peers[3].Belief().Epochs[4].SampleVar[0]; n < 299 || n > 315 {
		t.Errorf("sample variance is that of %v rewards, want 300 or a few more", n)
	}
}

// TestAPartTakesPart: a share of the peers, another one in every epoch, and the same at all.
func TestAPartTakesPart(t *testing.T) {
	const peers = 10
	f := newGISField(t, protocoltest.Ring(peers), func(p *epochs.GISParams) { p.Participation = .25 }, nil)
	f.until(t, 6, 400)
	if n := protocol.Origins(f.Params, peers); n != 3 {
		t.Errorf("%d peers of %d take part, want 3", n, peers)
	}
	all := make(map[protocol.Peer]bool)
	for epoch := uint64(1); epoch <= 6; epoch++ {
		in := 0
		for _, l := range epochs.HeldContributions(f.Peers[0].Protocol, 6) {
			if l.Seq == epoch {
				in++
				all[l.Origin] = true
			}
		}
		if in != 3 {
			t.Errorf("epoch %d has contributions of %d peers, want 3", epoch, in)
		}
	}
	if len(all) < 4 {
		t.Errorf("the same %d peers take part in every epoch", len(all))
	}
	for i, p := range f.Peers {
		if p.Leaves() < 12 {
			t.Errorf("peer %d has released %d leaves, want those of all until", i, p.Leaves())
		}
	}
	if f.agree(t, 6) == 0 {
		t.Error("no two peers hold the same")
	}
}

// TestWhatNoHonestPeerSendsIsRefused, says why, and leaves no trace.
func TestWhatNoHonestPeerSendsIsRefused(t *testing.T) {
	f := newGISField(t, protocoltest.Ring(5), nil, nil)
	f.until(t, 1, 50)
	f.Hostile = true
	var data protocoltest.Draft
	for round := 0; data.Kind == 0 && round < 20; round++ {
		for _, p := range f.Underway {
			if p.To == 0 && p.From == 1 && p.Message.Kind() == f.data && p.Message.Label().Origin == 1 {
				data = protocoltest.DraftOf(p.Message)
			}
		}
		f.play(t)
	}
	if data.Kind == 0 {
		t.Fatal("no contribution was sent")
	}
	labels := func(kind protocol.Kind, change func(d *protocoltest.Draft)) protocol.Message {
		d := protocoltest.Draft{Kind: kind, Label: protocol.Label{Origin: 1, Seq: 9}, Refs: []protocol.Label{{Origin: 2, Seq: 1}, {Origin: 1, Seq: 3}}}
		if kind == f.adv {
			d.Label.Stream, d.Refs[0].Stream, d.Refs[1].Stream = 1<<21, 1<<7, 1
		}
		change(&d)
		return d.Message()
	}
	signed := func(change func(d *protocoltest.Draft)) protocol.Message {
		d := data
		d.Label.Seq, d.Body = 7, slices.Clone(d.Body) // not held
		change(&d)
		return d.Signed(protocoltest.Keys(d.Label.Origin))
	}
	release := func(r dp.Release, change func(f *dp.Fields)) dp.Release {
		x := dp.Fields{Stream: r.Stream(), Span: r.Span(), Count: []uint64{r.Count(0)}, Value: []int64{r.Value(0)}, Exponent: r.Exponent(), Noise: r.Noise()}
		change(&x)
		return require.Value(dp.Received(vouch.For(x)))(t)
	}
	for what, c := range map[string]struct {
		from protocol.Peer
		m    protocol.Message
		want string
	}{
		"a stranger":                       {2, labels(f.adv, func(*protocoltest.Draft) {}), "no neighbour"},
		"an advertisement of another peer": {1, labels(f.adv, func(d *protocoltest.Draft) { d.Label.Origin = 2 }), "by the neighbour itself"},
		"labels out of order":              {1, labels(f.req, func(d *protocoltest.Draft) { slices.Reverse(d.Refs) }), "not in order"},
		"a label twice":                    {1, labels(f.req, func(d *protocoltest.Draft) { d.Refs[1] = d.Refs[0] }), "not in order"},
		"a peer that is not there":         {1, labels(f.adv, func(d *protocoltest.Draft) { d.Refs[0].Origin = 5; d.Refs = d.Refs[:1] }), "peer 5"},
		"epoch 0":                          {1, labels(f.adv, func(d *protocoltest.Draft) { d.Refs[0].Seq = 0 }), "epoch 0"},
		"an epoch far ahead":               {1, labels(f.adv, func(d *protocoltest.Draft) { d.Refs[1].Seq = 1 << 40 }), "epoch 1099511627776"},
		"an advertisement with a release":  {1, labels(f.adv, func(d *protocoltest.Draft) { d.Body = data.Body }), "labels and nothing else"},
		"another kind":                     {1, labels(1, func(*protocoltest.Draft) {}), "unknown"},
		"a contribution with labels":       {1, signed(func(d *protocoltest.Draft) { d.Refs = []protocol.Label{{Seq: 1}} }), "nothing but its releases"},
		"a contribution of nothing":        {1, signed(func(d *protocoltest.Draft) { d.Body = nil }), "a sum at least"},
		"arms out of order":                {1, signed(func(d *protocoltest.Draft) { slices.Reverse(d.Body) }), "ascending arm"},
		"an arm that is not there":         {1, signed(func(d *protocoltest.Draft) { d.Body[1] = release(d.Body[1], func(f *dp.Fields) { f.Stream = 2 }) }), "ascending arm"},
		"no rewards":                       {1, signed(func(d *protocoltest.Draft) { d.Body[1] = release(d.Body[1], func(f *dp.Fields) { f.Count[0] = 0 }) }), "ascending arm"},
		"the noise of more epochs": {1, signed(func(d *protocoltest.Draft) {
			d.Body[1] = release(d.Body[1], func(f *dp.Fields) { f.Noise.VarianceUnits *= 9; f.Count[0] = 99 })
		}), "more noise"},
		"the noise of epochs to come": {1, signed(func(d *protocoltest.Draft) {
			d.Body[1] = release(d.Body[1], func(f *dp.Fields) { f.Span.To = f.Span.From + 8; f.Noise.VarianceUnits *= 4; f.Count[0] = 99 })
		}), "with the noise of 8 epochs, want at most 7"},
		"less noise": {1, signed(func(d *protocoltest.Draft) { d.Body[1] = release(d.Body[1], func(f *dp.Fields) { f.Noise.Scale = 1 }) }), "less noise"},
		"a mean over 1": {1, signed(func(d *protocoltest.Draft) {
			d.Body[1] = release(d.Body[1], func(f *dp.Fields) { f.Value[0] = 1 << 50 })
		}), "add up to"},
		"a contribution of mine":           {1, signed(func(d *protocoltest.Draft) { d.Label.Origin = 0 }), "mine that I never made"},
		"one that another peer has signed": {1, func() protocol.Message { d := data; d.Label.Seq = 7; return d.Signed(protocoltest.Keys(3)) }(), "not signed by its origin"},
		"labels without fingerprints":      {1, labels(f.adv, func(d *protocoltest.Draft) { d.Label.Stream, d.Refs[0].Stream = 1<<21, 0 }), "want a fingerprint"},
		"fingerprints without a salt":      {1, labels(f.adv, func(d *protocoltest.Draft) { d.Label.Stream = 0 }), "want a salt"},
		"a request with a salt":            {1, labels(f.req, func(d *protocoltest.Draft) { d.Label.Stream = 1 << 21 }), "want a salt"},
		"a request with a fingerprint":     {1, labels(f.req, func(d *protocoltest.Draft) { d.Refs[1].Stream = 1 }), "none elsewhere"},
	} {
		t.Run(what, func(t *testing.T) {
			before := require.Value(f.Peers[0].Protocol.Save())(t)
			es, bad := f.Deliver(t, 0, protocol.Delivery{From: c.from, Message: c.m})
			after := require.Value(f.Peers[0].Protocol.Save())(t)
			if bad == nil || !strings.Contains(bad.Error(), c.want) {
				t.Errorf("refused with %v, want %q", bad, c.want)
			}
			if len(es) > 0 || string(before.Encode()) != string(after.Encode()) {
				t.Errorf("it left a trace, or %d messages were sent", len(es))
			}
		})
	}
}

// TestTwoContributionsUnderOneLabelCountForNobody: an origin that sends one contribution to half
// of the peers and another one to the others is found by all of them, within six rounds for each link of
// the diameter and three more. All then hold both, none counts either, and all say so once.
func TestTwoContributionsUnderOneLabelCountForNobody(t *testing.T) {
	const peers, origin, epoch = 12, 5, 2
	for name, g := range map[string]protocoltest.Graph{
		"ring": protocoltest.Ring(peers), "complete": protocoltest.Complete(peers), "random": gisGraph(t, "random", peers),
	} {
		t.Run(name, func(t *testing.T) {
			f := newGISField(t, g, nil, nil)
			f.Hostile = true
			label := protocol.Label{Origin: origin, Seq: epoch}
			two := protocol.Label{Origin: origin, Stream: epochs.TwoContributions, Seq: epoch}
			lied, found, rounds := 0, 0, 0
			for ; rounds < 300; rounds++ {
				f.play(t)
				for i := range f.Underway {
					p := &f.Underway[i]
					if m := p.Message; p.From == origin && m.Kind() == f.data && m.Label() == label && slices.Index(g[origin], p.To)%2 == 0 {
						d := protocoltest.DraftOf(m)
						d.Body = d.Body[:1]
						p.Message = protocoltest.Carry(t, d.Signed(protocoltest.Keys(origin)))
						lied++
					}
				}
				held := 0
				found = 0
				for i, p := range f.Peers {
					all := epochs.HeldContributions(p.Protocol, epoch)
					if i == origin { // it holds its own before it is out
						continue
					}
					if slices.Contains(all, label) || slices.Contains(all, two) {
						held++
					}
					if slices.Contains(all, two) {
						found++
					}
				}
				if held == 0 {
					rounds = 0 // none is out yet
				}
				if found == peers-1 {
					break
				}
			}
			most := 6*epochs.Diameter(g) + 3
			t.Logf("diameter %d: %d of %d peers hold both contributions %d rounds after the first one held one", epochs.Diameter(g), found, peers-1, rounds)
			if lied == 0 || found < peers-1 || rounds > most {
				t.Fatalf("%d lies, found by %d of %d peers after %d rounds, want all after %d", lied, found, peers-1, rounds, most)
			}
			for range 200 {
				f.play(t)
			}
			if f.agree(t, epoch) < peers-1 {
				t.Error("peers do not hold the same") // the origin is one of them: its key may be used elsewhere
			}
			// The means of the epoch are over 11 sites and the origin's earlier releases.
			for i, p := range f.Peers {
				accused := 0
				for _, err := range f.Faults[i] {
					if strings.Contains(err.Error(), "signed two contributions of that epoch") {
						accused++
					}
				}
				if accused != 1 {
					t.Errorf("peer %d accuses %d times, want once: %v", i, accused, f.Faults[i])
				}
				if v, want := p.Belief().Epochs[epoch-1].SampleVar[0], (11./4+1./2)/144; math.Abs(v-want) > 1e-12 {
					t.Errorf("peer %d: sample variance %v, want %v", i, v, want)
				}
			}
			by, _ := f.crossed()
			if n := by[label]; n > 4*peers*len(g[origin]) {
				t.Errorf("contributions of the label were sent %d times", n)
			}
		})
	}
}

// TestALaterLifeTakesThePlace: if an origin lost its memory and released an epoch again before it
// heard of the first release, all peers come to have the contribution of its later life, once, and
// no peer is accused.
func TestALaterLifeTakesThePlace(t *testing.T) {
	const peers, origin, at = 7, 1, 4
	f := newGISField(t, protocoltest.Ring(peers), nil, nil)
	var again protocoltest.Draft
	for again.Kind == 0 {
		f.play(t)
		for _, p := range f.Underway {
			if p.Message.Kind() == f.data && p.Message.Label().Origin == origin {
				again = protocoltest.DraftOf(p.Message)
			}
		}
	}
	f.until(t, 1, 50)
	f.Hostile = true // the origin itself is of the earlier life
	again.Label.Incarnation = 1
	require.Value(f.Deliver(t, at, protocol.Delivery{From: at - 1, Message: again.Signed(protocoltest.Keys(origin))}))(t)
	for range 60 {
		f.play(t)
	}
	earlier := again
	earlier.Label.Incarnation = 0
	require.Value(f.Deliver(t, at, protocol.Delivery{From: at - 1, Message: earlier.Signed(protocoltest.Keys(origin))}))(t)
	for i, p := range f.Peers {
		if i != origin && !slices.Contains(epochs.HeldContributions(p.Protocol, 1), again.Label) {
			t.Errorf("peer %d holds %v, want %+v", i, epochs.HeldContributions(p.Protocol, 1), again.Label)
		}
		if i != origin && len(f.Faults[i]) > 0 {
			t.Errorf("peer %d: %v", i, f.Faults[i])
		}
	}
	by, most := f.crossed()
	if by[again.Label] > 2*peers || most > 4 {
		t.Errorf("it was sent %d times, and %d times over one link", by[again.Label], most)
	}
}

// TestARequestIsServedOnce for each advertisement, so that a peer that asks on and on does
// not have the same sent on and on.
func TestARequestIsServedOnce(t *testing.T) {
	f := newGISField(t, protocoltest.Ring(5), nil, nil)
	f.until(t, 1, 50)
	f.play(t)
	f.Underway = nil // the last requests of the first epoch
	request := protocoltest.Draft{Kind: f.req, Label: protocol.Label{Origin: 1, Seq: 9}, Refs: []protocol.Label{{Origin: 3, Seq: 1}}}.Message()
	sent := 0
	for range 3 {
		es := require.Value(f.Deliver(t, 0, protocol.Delivery{From: 1, Message: request}))(t)
		sent += len(es)
	}
	if sent != 1 {
		t.Errorf("a contribution that was advertised once is sent %d times", sent)
	}
}

// TestALiarMovesAMeanByItsShare: one of 10 that claims that the bad arm always pays and the
// good one never, which is possible, moves means by a tenth at most.
func TestALiarMovesAMeanByItsShare(t *testing.T) {
	const peers, liar, epochs = 10, 4, 3
	play := func(lies bool) *gisField {
		f := newGISField(t, protocoltest.Ring(peers), nil, nil)
		f.Hostile = lies // the liar's own half holds the truth
		f.Carry = func(t testing.TB, m protocol.Message) protocol.Message {
			if !lies || m.Kind() != f.data || m.Label().Origin != liar {
				return protocoltest.Carry(t, m)
			}
			d := protocoltest.DraftOf(m)
			for i, r := range d.Body {
				sum := int64(0)
				if r.Stream() == 1 {
					sum = int64(math.Ldexp(float64(r.Count(0)), -int(r.Exponent())))
				}
				x := require.Value(dp.Received(vouch.For(dp.Fields{Stream: r.Stream(), Span: r.Span(), Count: []uint64{r.Count(0)}, Value: []int64{sum}, Exponent: r.Exponent(), Noise: r.Noise()})))(t)
				d.Body[i] = x
			}
			return protocoltest.Carry(t, d.Signed(protocoltest.Keys(liar)))
		}
		f.until(t, epochs, 300)
		return f
	}
	honest, lied := play(false).Peers[0].Belief(), play(true)
	b := lied.Peers[0].Belief()
	own := lied.Peers[liar].Belief().Own
	moved := false
	for k := range b.X {
		off := math.Abs(b.Epochs[epochs-1].X[k] - honest.Epochs[epochs-1].X[k])
		most := math.Abs(own[k]) + 1 // its own mean has noise
		moved = moved || off > 1e-9
		if off > most/peers+1e-9 {
			t.Errorf("arm %d: the mean moved by %v, want at most %v", k, off, most/peers)
		}
	}
	if !moved {
		t.Error("nothing moved: nothing is tested")
	}
}
