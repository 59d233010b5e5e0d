package protocol

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/dp"
	"peerd.dev/gossip/topology"
)

// TestClocksMixAsThePaperDoes: the exchanges that clocks of their own, kept by the
// lower ends, bring about mix as paper 004's one random edge a round does. Every
// exchange leaves both ends with their mean, there are rate exchanges a link and
// round, all links alike, and the mean W of the mixing matrices has the spectral gap
// of the graph: at the paper's rate, and at half of it. Where some peer keeps so many
// clocks that it would ask most of the time, there is nothing to want, only to report.
func TestClocksMixAsThePaperDoes(t *testing.T) {
	for _, g := range []struct {
		name  string
		build func(int) [][]Peer
	}{{"complete", complete}, {"ring", ring}, {"path", path}} {
		for _, n := range []int{3, 4, 6, 10} {
			for _, share := range []float64{.5, 1} {
				t.Run(fmt.Sprint(g.name, n, " at ", share), func(t *testing.T) { mixes(t, g.build(n), share) })
			}
		}
	}
}

// mixes plays a network whose links together have share exchanges a round.
func mixes(t *testing.T, links [][]Peer, share float64) {
	n, rate := len(links), share/float64(edges(links))
	m := newMixing(t, averaging(links, rate))
	rounds := 4000 / share
	for range int(rounds) {
		m.play(t)
	}
	events := 0
	for _, k := range m.exchanges {
		events += k
	}
	load := 2 * rate * float64(mostKept(links)) // each exchange takes two rounds
	want := topology.SpectralGap(graph(t, links))
	got := 1 - secondEigenvalue(m.mean(n, events))
	t.Logf("%.2f exchanges a round, want %g; %.0f %% of the questions declined; spectral gap %.4f, want %.4f; load %.2f",
		float64(events)/rounds, share, 100*float64(m.busy)/float64(m.asks), got, want, load)
	if load > .7 {
		return
	}
	for x, k := range m.exchanges {
		// Strikes are a Poisson process, so 5 deviations of one, and some room for the
		// exchanges that a busy peer puts off.
		strikes := rate * rounds
		if dev := math.Abs(float64(k) - strikes); dev > 5*math.Sqrt(strikes)+.03*strikes {
			t.Errorf("link %s–%s: %d exchanges, want %.0f", letter(x[0]), letter(x[1]), k, strikes)
		}
	}
	if len(m.exchanges) != edges(links) {
		t.Errorf("%d of %d links averaged", len(m.exchanges), edges(links))
	}
	if math.Abs(got-want) > .1*want {
		t.Errorf("spectral gap of the mean mixing matrix %.4f, want %.4f", got, want)
	}
}

// TestFullPeersShareOut: where clocks strike faster than peers can exchange, no link
// starves, and declining does not eat up what could be exchanged. A peer of a ring
// takes two rounds for a question and then answers or asks, so ten peers can have
// almost five exchanges a round.
func TestFullPeersShareOut(t *testing.T) {
	m := newMixing(t, averaging(ring(10), maxRate))
	const rounds = 4000
	for range rounds {
		m.play(t)
	}
	events := 0
	for x, k := range m.exchanges {
		events += k
		if k < rounds/10 {
			t.Errorf("link %s–%s averaged in %d of %d rounds", letter(x[0]), letter(x[1]), k, rounds)
		}
	}
	if got := float64(events) / rounds; got < 3.3 {
		t.Errorf("%.2f exchanges a round, want at least 3.3", got)
	}
}

// A mixing is a network without faults whose exchanges are watched one by one. It
// spares its messages the codec.
type mixing struct {
	*network
	exchanges  map[[2]Peer]int
	asks, busy int
}

func newMixing(t *testing.T, s setting) *mixing {
	s.arms, s.mechanism = 1, dp.None
	s.rounds = 1 << 20
	s.params.Average.Patience = 8
	return &mixing{network: newNetwork(t, s), exchanges: make(map[[2]Peer]int)}
}

// play plays a round in which everybody pulls the arm, so that estimates stay apart.
func (m *mixing) play(t *testing.T) {
	t.Helper()
	for to, in := range m.take() {
		for _, d := range in {
			m.hear(t, Peer(to), d)
			m.collect(to)
		}
	}
	for i, p := range m.peers {
		if err := p.door.Add(0, []float64{float64((uint64(m.round)*uint64(i+1))%7) / 6}); err != nil {
			t.Fatal(err)
		}
		p.Chosen(0)
		if err := p.Pulled(0, &p.out); err != nil {
			t.Fatal(err)
		}
		if err := p.Tick(m.round, &p.out); err != nil {
			t.Fatal(err)
		}
		m.collect(i)
	}
	m.round++
}

// hear delivers a message. A question that is answered leaves the end that answers
// with the mean of both ends, as they are at that moment; what the other end then
// subtracts is what this one added.
func (m *mixing) hear(t *testing.T, to Peer, d Delivery) {
	t.Helper()
	a, b := m.peers[d.From].Protocol.(*average), m.peers[to].Protocol.(*average)
	x, y := a.mixed.Value(0), b.mixed.Value(0)
	if err := b.Receive(d.From, d.Message, &m.peers[to].out); err != nil {
		t.Fatal(err)
	}
	switch d.Message.kind {
	case averageAsk:
		m.asks++
		if b.links[b.link(d.From)].answer == averageBusy {
			m.busy++
			return
		}
		m.exchanges[[2]Peer{d.From, to}]++
		if off := x + y - 2*b.mixed.Value(0); off < 0 || off > 1 {
			t.Fatalf("round %d: %s asks %s: %d and %d become %d", m.round, letter(d.From), letter(to), x, y, b.mixed.Value(0))
		}
	case averageDelta:
		if got := b.mixed.Value(0); got != y-d.Message.body[0].Value(0) {
			t.Fatalf("round %d: %s subtracts %d from %d and has %d", m.round, letter(to), d.Message.body[0].Value(0), y, got)
		}
	default:
		if b.mixed.Value(0) != y {
			t.Fatalf("round %d: a message of kind %d moves the estimate of %s", m.round, d.Message.kind, letter(to))
		}
	}
}

func (m *mixing) collect(i int) {
	out := &m.peers[i].out
	for _, e := range out.Envelopes() {
		m.underway = append(m.underway, parcel{e.To, Delivery{Peer(i), e.Message}})
	}
	out.Reset()
}

// mean returns the mean over all exchanges of I - (e_i-e_j)(e_i-e_j)ᵀ/2.
func (m *mixing) mean(n, events int) *mat.SymDense {
	w := mat.NewSymDense(n, nil)
	for i := range n {
		w.SetSym(i, i, 1)
	}
	for x, k := range m.exchanges {
		i, j, share := int(x[0]), int(x[1]), float64(k)/float64(events)/2
		w.SetSym(i, i, w.At(i, i)-share)
		w.SetSym(j, j, w.At(j, j)-share)
		w.SetSym(i, j, w.At(i, j)+share)
	}
	return w
}

func secondEigenvalue(w *mat.SymDense) float64 {
	var e mat.EigenSym
	e.Factorize(w, false)
	v := e.Values(nil) // ascending
	return v[len(v)-2]
}

func edges(links [][]Peer) (n int) {
	for _, l := range links {
		n += len(l)
	}
	return n / 2
}

// mostKept returns the most clocks that a peer keeps.
func mostKept(links [][]Peer) (most int) {
	for i, l := range links {
		kept := 0
		for _, j := range l {
			if int(j) > i {
				kept++
			}
		}
		most = max(most, kept)
	}
	return most
}

func graph(t *testing.T, links [][]Peer) *topology.Graph {
	t.Helper()
	var all [][2]int
	for i, l := range links {
		for _, j := range l {
			if i < int(j) {
				all = append(all, [2]int{i, int(j)})
			}
		}
	}
	g, err := topology.NewGraph(len(links), all)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
