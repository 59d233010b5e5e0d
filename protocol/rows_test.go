package protocol

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp"
)

// A field is 20 sites with rows on a random graph whose network loses 30 % of all
// messages. A round is a slot of 100 ms: a row a second, five digests a second.
type field struct {
	*network
	loss mishap
	pull func(i int) (int, float64)
	cut  bool // no message crosses between the halves
	away int  // a site that is not there, or -1
}

const (
	second    = 10 // rounds
	fieldLife = 25 * second

	// What was lost is pulled by digests to one random neighbour, which asks back for
	// what it misses itself; 30 % of both and of the answers are lost too. In 40 seeds
	// all sites agreed 1.5 s after the last row in the median and 4.1 s at worst.
	healing = 5 * second
	joining = 5 * second
)

func newField(t *testing.T, seed uint64) *field {
	rng := rand.New(rand.NewPCG(seed, 4))
	n := newNetwork(t, setting{
		protocol: "rows", graph: randomGraph(20, 15, rng), arms: 3, rounds: fieldLife, mechanism: dp.Tree, seed: seed,
		params: Params{Rows: RowsParams{Every: second, Pull: second / 5, Merge: MergeMean}},
	})
	return &field{network: n, loss: mishap{rng: rng, lose: .3}, pull: pulls(n, seed), away: -1}
}

// play plays rounds with the field's faults.
func (f *field) play(t *testing.T, rounds int) {
	t.Helper()
	for range rounds {
		if f.away >= 0 { // whatever a site that is not there would say or hear is lost
			kept := f.underway[:0]
			for _, p := range f.underway {
				if int(p.to) != f.away && int(p.From) != f.away {
					kept = append(kept, p)
				}
			}
			f.underway = kept
		}
		f.network.play(t, f.pull)
		f.loss.befall(f.network)
		if f.cut {
			f.underway = slices.DeleteFunc(f.underway, func(p parcel) bool { return (p.From < 10) != (p.to < 10) })
		}
	}
}

// agree reports whether the states of all sites are the same bytes.
func (f *field) agree() bool {
	for _, p := range f.peers {
		if !bytes.Equal(stateOf(p), stateOf(f.peers[0])) {
			return false
		}
	}
	return true
}

func stateOf(p *player) []byte { return bytes.Join(savedMessages(p.Protocol.(*rows).newest), nil) }

// TestRowsAgreeAfterAPartition: with 30 % loss throughout, 10 s of partition and
// rows closing all the while, all sites hold the same bytes a bounded time later.
func TestRowsAgreeAfterAPartition(t *testing.T) {
	for seed := range uint64(5) {
		f := newField(t, seed)
		f.play(t, 10*second)
		f.cut = true
		f.play(t, 10*second)
		if f.agree() {
			t.Fatalf("seed %d: the halves agree although nothing crossed: the partition is none", seed)
		}
		f.cut = false
		f.play(t, fieldLife-20*second) // until the last row of every site is out
		f.play(t, healing)
		if !f.agree() {
			t.Errorf("seed %d: sites differ %d rounds after the last row", seed, healing)
		}
		if n := len(f.peers[0].Protocol.(*rows).held()); n != 20 {
			t.Errorf("seed %d: %d rows are held, want everybody's", seed, n)
		}
		for i, p := range f.peers {
			if !slices.Equal(p.Belief().Mean, f.peers[0].Belief().Mean) {
				t.Errorf("seed %d: peer %d believes %v, peer 0 %v", seed, i, p.Belief().Mean, f.peers[0].Belief().Mean)
			}
		}
	}
}

// TestLateJoinerCatchesUp: a site that comes when all is said, and one that comes
// back with nothing in memory, hold what the others hold a bounded time later.
func TestLateJoinerCatchesUp(t *testing.T) {
	for seed := range uint64(5) {
		f := newField(t, seed)
		f.away = int(seed) * 3
		f.play(t, fieldLife+healing)
		s := f.setting
		s.rounds = 0 // Leaves is at least 1
		f.peers[f.away] = newPlayer(t, s, Peer(f.away), uint32(seed%2))
		f.away = -1
		f.play(t, joining)
		if !f.agree() {
			t.Errorf("seed %d: the site that came late holds something else", seed)
		}
	}
}

// TestForgedRowsAreRefused: only the origin can make a row that replaces its last.
func TestForgedRowsAreRefused(t *testing.T) {
	n := newNetwork(t, setting{
		protocol: "rows", graph: complete(3), arms: 2, rounds: 100, mechanism: dp.Tree,
		params: Params{Rows: RowsParams{Every: 1, Pull: 50, Merge: MergeMean}},
	})
	for range 5 {
		n.play(t, func(int) (int, float64) { return 0, 1 })
	}
	p := n.peers[0]
	newest := p.Protocol.(*rows).newest
	sign := func(m Message, by Peer) Message {
		return changed(m, func(m *message) { m.sig = testKeys(by).Sign(appendContent(nil, m)) })
	}
	theirs := changed(newest[2], func(m *message) { m.label.Seq++ }) // newer than what peer 0 holds; of its neighbour 2, by way of neighbour 1
	for name, m := range map[string]Message{
		"an old row under a new number":         theirs,
		"signed by the forwarder":               sign(theirs, 1),
		"signed by nobody":                      changed(theirs, func(m *message) { m.sig = nil }),
		"a row under another origin":            changed(newest[2], func(m *message) { m.label.Origin, m.label.Seq = 1, 9 }),
		"a row in a later incarnation":          changed(newest[2], func(m *message) { m.label.Incarnation++ }),
		"another origin's numbers":              changed(theirs, func(m *message) { m.body = newest[1].body }),
		"a row of the receiver's own":           sign(changed(newest[0], func(m *message) { m.label.Seq = 99 }), 0),
		"an origin that is no peer":             sign(changed(theirs, func(m *message) { m.label.Origin = 3 }), 3),
		"two releases":                          sign(changed(theirs, func(m *message) { m.body = append(m.body, m.body[0]) }), 2),
		"no release":                            sign(changed(theirs, func(m *message) { m.body = nil }), 2),
		"a label beside the row":                sign(changed(theirs, func(m *message) { m.refs = []Label{{}} }), 2),
		"a round, which no signature covers":    changed(sign(theirs, 2), func(m *message) { m.round = 1 }),
		"hops, which no signature covers":       changed(sign(theirs, 2), func(m *message) { m.hops = 1 }),
		"a digest of peers that there are not":  {&message{kind: rowsDigest, label: Label{Origin: 1}, refs: []Label{{Origin: 3}}}},
		"a message of another protocol's kinds": {&message{kind: averageCounts, label: Label{Origin: 1}}},
	} {
		before := stateOf(p)
		es, err := n.deliver(t, 0, Delivery{1, m})
		if !errors.Is(err, ErrPeer) || len(es) > 0 || !bytes.Equal(stateOf(p), before) {
			t.Errorf("%s: got %v and %d messages, want ErrPeer and nothing changed", name, err, len(es))
		}
	}

	// A replay is what a network does to honest rows: no fault, and no news.
	before := stateOf(p)
	for _, m := range newest[1:] {
		if es, err := n.deliver(t, 0, Delivery{1, m}); err != nil || len(es) > 0 {
			t.Errorf("a copy: got %v and %d messages, want nothing", err, len(es))
		}
	}
	if !bytes.Equal(stateOf(p), before) {
		t.Error("a copy changed something")
	}

	// And the real next row is taken from whoever brings it.
	if _, err := n.deliver(t, 0, Delivery{1, sign(theirs, 2)}); err != nil || bytes.Equal(stateOf(p), before) {
		t.Errorf("the origin's own newer row: %v", err)
	}
}

// scripted is a Draw that releases what the test says, stream by stream.
type scripted []dp.Release

func (d scripted) Leaf(s dp.StreamID, _ uint64) (dp.Leaf, error) { return dp.Leaf{Sum: d[s]}, nil }

// drawRows gives a peer rows of random origins: sums, counts and noise as honest
// sites have them, or anything at all from liars, who are the last of the origins.
// It returns the honest cells by arm, the peer's own first.
func drawRows(t *rapid.T, p *rows, liars int) (honest [][]cell) {
	honest = make([][]cell, p.c.Arms)
	var out Outbox
	for i := range p.c.Peers {
		lies := i >= p.c.Peers-liars
		f := dp.Fields{Exponent: dp.GridExponent, Span: dp.Span{To: 1}, Noise: dp.Noise{Scale: 5 << 20, Terms: 3 * dp.Term}}
		if lies {
			f.Exponent = rapid.OneOf(rapid.Just[int8](dp.GridExponent), rapid.Int8Range(-64, 64)).Draw(t, "exponent")
			f.Noise = anyNoise(t)
		}
		for k := range p.c.Arms {
			n, v := rapid.Uint64Range(1, 50).Draw(t, "n"), rapid.Int64Range(-20<<20, 70<<20).Draw(t, "v")
			if lies && rapid.Bool().Draw(t, "lies about the numbers") {
				n, v = anyUint().Draw(t, "claimed n"), rapid.Int64Range(-dp.MaxValue, dp.MaxValue).Draw(t, "claimed v")
			}
			if !lies {
				b, x := lattice(int64(f.Noise.Scale), f.Exponent), float64(n)
				noise := dp.Spread{V: float64(f.Noise.Terms) / dp.Term * b * b, B: b}
				honest[k] = append(honest[k], cell{lattice(v, f.Exponent) / x, x, noise.Over(x)})
			}
			f.Count, f.Value = append(f.Count, n), append(f.Value, v)
		}
		if Peer(i) == p.c.Self {
			var draw scripted
			for k := range f.Value {
				one := f
				one.Stream, one.Count, one.Value = dp.StreamID(k), f.Count[k:k+1], f.Value[k:k+1]
				draw = append(draw, received(t, one))
				for range f.Count[k] {
					p.Chosen(k)
				}
			}
			p.c.Draw = draw
			if err := p.Tick(0, &out); err != nil {
				t.Fatal(err)
			}
			continue
		}
		m := Message{&message{kind: rowsRow, label: Label{Origin: Peer(i), Seq: 1}, body: []dp.Release{received(t, f)}}}
		m.sig = testKeys(i).Sign(appendContent(nil, m.message))
		if err := p.Receive(1, m, &out); err != nil && !lies {
			t.Fatal(err)
		}
	}
	return honest
}

func received(t rapid.TB, f dp.Fields) dp.Release {
	r, err := dp.Received(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func merging(t rapid.TB, peers int, merge Merge, f int) *rows {
	p, err := newRows(
		Config{Neighbours: []Peer{1}, Peers: peers, Arms: 2, Keys: testKeys(0), Rand: rand.New(rand.NewPCG(1, 1))},
		RowsParams{Every: 1, Pull: 1, Merge: merge, F: f},
	)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMergeIsWhatItSays compares with the obvious: of every number that the origins
// give, sort, drop, average.
func TestMergeIsWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.IntRange(0, 3).Draw(t, "f")
		merge := MergeTrimmed
		if f == 0 {
			merge = MergeMean
		}
		p := merging(t, rapid.IntRange(1, 9).Draw(t, "peers"), merge, f)
		for k, cells := range drawRows(t, p, 0) {
			trim := f
			if len(cells) <= 2*f {
				cells, trim = cells[:1], 0 // the peer's own
			}
			column := func(of func(c cell) float64) (mean, most float64) {
				var xs []float64
				for _, c := range cells {
					xs = append(xs, of(c))
				}
				slices.Sort(xs)
				xs = xs[trim : len(xs)-trim]
				for _, x := range xs {
					mean, most = mean+x/float64(len(xs)), max(most, x)
				}
				return mean, most
			}
			m := float64(len(cells) - 2*trim)
			mean, _ := column(func(c cell) float64 { return c.mean })
			spread, _ := column(func(c cell) float64 { return 1 / c.n })
			v, _ := column(func(c cell) float64 { return c.noise.V })
			_, b := column(func(c cell) float64 { return c.noise.B })
			got := p.Belief()
			for _, x := range [][2]float64{{got.Mean[k], mean}, {got.Spread[k], spread / m}, {got.NoiseV[k], v / m}, {got.NoiseB[k], b / m}} {
				if math.Abs(x[0]-x[1]) > 1e-9*math.Max(1, math.Abs(x[1])) {
					t.Fatalf("arm %d: got %g, want %g", k, x[0], x[1])
				}
			}
		}
	})
}

// TestTrimmedMergeWithstandsLiars: whatever f of 2f+1 or more origins claim, the
// merged mean of an arm lies between two honest ones.
func TestTrimmedMergeWithstandsLiars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.IntRange(1, 3).Draw(t, "f")
		p := merging(t, 2*f+1+rapid.IntRange(0, 4).Draw(t, "more"), MergeTrimmed, f)
		for k, cells := range drawRows(t, p, f) {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, c := range cells {
				lo, hi = min(lo, c.mean), max(hi, c.mean)
			}
			if got := p.Belief().Mean[k]; !(lo-1e-9 <= got && got <= hi+1e-9) {
				t.Fatalf("arm %d: mean %g, the honest ones lie in [%g, %g]", k, got, lo, hi)
			}
		}
	})
}

// TestTrimmedMergeBoundsTheRadius: nor can they make the merged mean look more, or
// less, certain than a mean of honest ones. A liar in the middle of the means that
// claims one pull or huge noise would keep an arm's radius wide for ever: every
// honest site would pull it for ever.
func TestTrimmedMergeBoundsTheRadius(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.IntRange(1, 3).Draw(t, "f")
		p := merging(t, 2*f+1+rapid.IntRange(0, 4).Draw(t, "more"), MergeTrimmed, f)
		for k, cells := range drawRows(t, p, f) {
			most, least := float64(p.c.Peers-2*f), float64(len(cells)-2*f) // cells that count
			if least < 1 {
				least = 1 // liars may be silent, and then the peer trusts itself alone
			}
			var hi, lo cell
			lo = cell{n: math.Inf(1), noise: dp.Spread{V: math.Inf(1), B: math.Inf(1)}}
			for _, c := range cells {
				hi.n, hi.noise.V, hi.noise.B = max(hi.n, 1/c.n), max(hi.noise.V, c.noise.V), max(hi.noise.B, c.noise.B)
				lo.n, lo.noise.V, lo.noise.B = min(lo.n, 1/c.n), min(lo.noise.V, c.noise.V), min(lo.noise.B, c.noise.B)
			}
			got := p.Belief()
			for _, x := range []struct {
				what        string
				lo, got, hi float64
			}{
				{"spread", lo.n / most, got.Spread[k], hi.n / least},
				{"noise", lo.noise.V / most, got.NoiseV[k], hi.noise.V / least},
				{"greatest noise", lo.noise.B / most, got.NoiseB[k], hi.noise.B / least},
			} {
				if !(x.lo*(1-1e-9) <= x.got && x.got <= x.hi*(1+1e-9)) {
					t.Fatalf("arm %d: %s %g; honest rows make it %g to %g", k, x.what, x.got, x.lo, x.hi)
				}
			}
		}
	})
}

// TestRadiusNeedsData: once the horizon is reached, pulls bring no data, and may not
// make a mean look more certain.
func TestRadiusNeedsData(t *testing.T) {
	for _, e := range Table() {
		t.Run(e.Name, func(t *testing.T) {
			s := conforming(e.Name, 2)
			s.graph, s.rounds = [][]Peer{nil}, 8 // a peer alone: nobody else's data comes in
			n := newNetwork(t, s)
			pull := func(int) (int, float64) { return int(n.round) % s.arms, 1 }
			for range 20 {
				n.play(t, pull)
			}
			at := func() Belief {
				b := *n.peers[0].Belief()
				b.Spread, b.NoiseV = slices.Clone(b.Spread), slices.Clone(b.NoiseV)
				return b
			}
			if !n.peers[0].draw.spent {
				t.Fatal("the horizon is not reached: nothing is tested")
			}
			before := at()
			for range 100 {
				n.play(t, pull)
			}
			after := at()
			for k := range s.arms {
				if after.Spread[k] < before.Spread[k] || after.NoiseV[k] < before.NoiseV[k] {
					t.Errorf("arm %d: 50 pulls past the horizon took spread from %g to %g and noise from %g to %g",
						k, before.Spread[k], after.Spread[k], before.NoiseV[k], after.NoiseV[k])
				}
			}
		})
	}
}
