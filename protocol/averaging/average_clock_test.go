package averaging_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/dp"
	"peerd.dev/gossip/topology"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// TestClocksMixAsThePaperDoes: the exchanges that clocks of their own, kept by the lower ends,
// bring about mix as paper 004's one random edge a round does. Every exchange leaves both ends with
// their mean, there are rate exchanges a link and round, all links alike, and the mean W of the
// mixing matrices has the spectral gap of the graph: at the paper's rate, and at half of it. Where
// a peer keeps too many clocks, so that it would ask most of the time, the test reports only. PEERD_LONG plays more sizes.
func TestClocksMixAsThePaperDoes(t *testing.T) {
	sizes := []int{4, 6}
	if os.Getenv("PEERD_LONG") != "" {
		sizes = []int{3, 4, 6, 10}
	}
	for _, g := range []struct {
		name  string
		build func(int) protocoltest.Graph
	}{{"complete", protocoltest.Complete}, {"ring", protocoltest.Ring}, {"path", protocoltest.Path}} {
		for _, n := range sizes {
			for _, share := range []float64{.5, 1} {
				t.Run(fmt.Sprint(g.name, n, " at ", share), func(t *testing.T) { mixes(t, g.build(n), share) })
			}
		}
	}
}

// mixes plays a network whose links together have share exchanges a round.
func mixes(t *testing.T, links protocoltest.Graph, share float64) {
	n, rate := len(links), share/float64(edges(links))
	m := newMixing(t, averageOver(links, rate))
	rounds := 4000 / share
	for range int(rounds) {
		m.play(t)
	}
	events := 0
	for _, k := range m.exchanges {
		events += k
	}
	load := 2 * rate * float64(mostKept(links)) // each exchange takes two rounds
	want := graphs.SpectralGap(graph(t, links))
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
			t.Errorf("link %s–%s: %d exchanges, want %.0f", protocoltest.Letter(x[0]), protocoltest.Letter(x[1]), k, strikes)
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
	m := newMixing(t, averageOver(protocoltest.Ring(10), averaging.MaxRate))
	const rounds = 4000
	for range rounds {
		m.play(t)
	}
	events := 0
	for x, k := range m.exchanges {
		events += k
		if k < rounds/10 {
			t.Errorf("link %s–%s averaged in %d of %d rounds", protocoltest.Letter(x[0]), protocoltest.Letter(x[1]), k, rounds)
		}
	}
	if got := float64(events) / rounds; got < 3.3 {
		t.Errorf("%.2f exchanges a round, want at least 3.3", got)
	}
}

// A mixing is a network without faults whose exchanges are watched one by one. It
// spares its messages the codec.
type mixing struct {
	*protocoltest.Network
	exchanges  map[[2]protocol.Peer]int
	asks, busy int
}

func newMixing(t *testing.T, s protocoltest.Setting) *mixing {
	s.Arms, s.Mechanism, s.Rounds = 1, dp.None, 1<<20
	params := s.Params.(averaging.AverageParams)
	params.Patience = 8
	s.Params = params
	s.Carry = func(_ testing.TB, m protocol.Message) protocol.Message { return m }
	return &mixing{Network: protocoltest.New(t, s), exchanges: make(map[[2]protocol.Peer]int)}
}

// play plays a round in which every peer pulls the arm, so that estimates stay apart.
func (m *mixing) play(t *testing.T) {
	t.Helper()
	for to, in := range m.Take() {
		for _, d := range in {
			m.hear(t, protocol.Peer(to), d)
		}
	}
	for i := range m.Peers {
		m.Pull(t, i, 0, float64((uint64(m.Round)*uint64(i+1))%7)/6)
		m.Tick(t, i)
	}
	m.Round++
}

// hear delivers a message. A question that is answered leaves the end that answers
// with the mean of both ends, as they are at that moment; what the other end then
// subtracts is what this one added.
func (m *mixing) hear(t *testing.T, to protocol.Peer, d protocol.Delivery) {
	t.Helper()
	a, b := m.Peers[d.From].Protocol.(*averaging.Average), m.Peers[to].Protocol.(*averaging.Average)
	x, y := a.Mixed().Value(0), b.Mixed().Value(0)
	require.Value(m.Deliver(t, int(to), d))(t)
	switch d.Message.Kind() {
	case averaging.AverageAsk:
		m.asks++
		if b.LastAnswer(d.From) == averaging.AverageBusy {
			m.busy++
			return
		}
		m.exchanges[[2]protocol.Peer{d.From, to}]++
		if off := x + y - 2*b.Mixed().Value(0); off < 0 || off > 1 {
			t.Fatalf("round %d: %s asks %s: %d and %d become %d", m.Round, protocoltest.Letter(d.From), protocoltest.Letter(to), x, y, b.Mixed().Value(0))
		}
	case averaging.AverageDelta:
		delta := d.Message.Release(0)
		if got := b.Mixed().Value(0); got != y-delta.Value(0) {
			t.Fatalf("round %d: %s subtracts %d from %d and has %d", m.Round, protocoltest.Letter(to), delta.Value(0), y, got)
		}
	default:
		if b.Mixed().Value(0) != y {
			t.Fatalf("round %d: a message of kind %d moves the estimate of %s", m.Round, d.Message.Kind(), protocoltest.Letter(to))
		}
	}
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

func edges(links protocoltest.Graph) (n int) {
	for _, l := range links {
		n += len(l)
	}
	return n / 2
}

// mostKept returns the most clocks that a peer keeps.
func mostKept(links protocoltest.Graph) (most int) {
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

func graph(t *testing.T, links protocoltest.Graph) *topology.Graph {
	t.Helper()
	var all [][2]int
	for i, l := range links {
		for _, j := range l {
			if i < int(j) {
				all = append(all, [2]int{i, int(j)})
			}
		}
	}
	g := require.Value(topology.NewGraph(len(links), all))(t)
	return g
}
