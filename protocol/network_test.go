package protocol

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
)

// A network is a few peers of one protocol, each behind its own door, and what is
// under way between them. It is round-synchronous: what is sent in a round
// arrives at the start of the next, in the order of Sort. Every message crosses
// the codec, so that what a protocol says is always what the wire can carry.
type network struct {
	setting
	peers    []*player
	round    Round
	underway []parcel
	crossed  map[crossing]int
	hostile  bool // somebody lies, so that what honest peers say can be refused
}

// A setting is what the peers of a network agree on.
type setting struct {
	protocol  string
	graph     [][]Peer // neighbours of each peer, ascending
	arms      int
	rounds    uint64 // that the budget pays for
	mechanism dp.Mechanism
	seed      uint64
	topic     bool
	params    Params
	fake      fakeParams
}

// A player is a peer: a protocol and the door that it draws from.
type player struct {
	Protocol
	draw *watchedDraw
	door *dp.Door
	out  Outbox
}

// A parcel is a message under way.
type parcel struct {
	to Peer
	Delivery
}

// A crossing is one message on one link, in either direction.
type crossing struct {
	a, b  Peer
	kind  Kind
	label Label
}

// A watchedDraw counts what its door releases.
type watchedDraw struct {
	door  *dp.Door
	leafs uint64
	spent bool
	late  uint64 // releases after the first ErrHorizon of the same stream
	over  map[dp.StreamID]bool
}

func (w *watchedDraw) Leaf(s dp.StreamID, k uint64) (dp.Leaf, error) {
	l, err := w.door.Leaf(s, k)
	switch {
	case errors.Is(err, dp.ErrHorizon):
		w.spent, w.over[s] = true, true
	case err == nil:
		w.leafs++
		if w.over[s] {
			w.late++
		}
	}
	return l, err
}

// newNetwork seats one peer at every vertex of the graph.
func newNetwork(t testing.TB, s setting) *network {
	t.Helper()
	n := &network{setting: s, crossed: make(map[crossing]int)}
	for i := range s.graph {
		n.peers = append(n.peers, newPlayer(t, s, Peer(i), 0))
	}
	return n
}

// newPlayer opens the door of one peer in the way its protocol wants and seats
// the protocol behind it.
func newPlayer(t testing.TB, s setting, self Peer, incarnation uint32) *player {
	t.Helper()
	sp := spokenBy(t, s.protocol)
	door, err := dp.NewDoor(dp.Lockstep, account.Unlimited, dp.NewSeededSource(seedOf(s.seed, self, incarnation, "noise")))
	if err != nil {
		t.Fatal(err)
	}
	parts, dim := sp.statistic(s)
	streams, leaves := sp.streams(s, parts)
	if _, err = door.Open(dp.Spec{
		What: "rewards", Streams: streams, Dim: dim, Lo: 0, Hi: 1,
		Leaves: leaves, RecordsPerUser: 1, Mechanism: s.mechanism, Epsilon: dp.Nano,
	}); err != nil {
		t.Fatal(err)
	}
	draw := &watchedDraw{door: door, over: make(map[dp.StreamID]bool)}
	p, err := sp.new(Config{
		Self: self, Incarnation: incarnation, Neighbours: s.graph[self], Peers: len(s.graph), Arms: s.arms,
		Draw: draw, Rand: rand.New(rand.NewChaCha8(seedOf(s.seed, self, incarnation, "schedule"))),
		Keys: testKeys(self), Topic: s.topic,
	}, s)
	if err != nil {
		t.Fatal(err)
	}
	return &player{Protocol: p, draw: draw, door: door}
}

// pull plays an arm: the record goes to the stream that the protocol wants it in,
// if any, and the protocol learns which arm it was.
func (n *network) pull(t testing.TB, i, arm int, reward float64) []Envelope {
	t.Helper()
	p := n.peers[i]
	part, x := arm, []float64{reward}
	if parts, dim := spokenBy(t, n.protocol).statistic(n.setting); parts == 1 && dim == 2*n.arms {
		// One vector for all arms, as LinUCB has it: noised pulls, noised rewards.
		part, x = 0, make([]float64, dim)
		x[arm], x[n.arms+arm] = 1, reward
	}
	stream, ok := dp.StreamID(part), true
	if r, routed := p.Protocol.(router); routed {
		stream, ok = r.Route(part)
	}
	if ok {
		if err := p.door.Add(stream, x); err != nil {
			t.Fatal(err)
		}
	}
	p.Chosen(arm)
	if err := p.Pulled(arm, &p.out); err != nil {
		t.Fatalf("peer %d pulls arm %d: %v", i, arm, err)
	}
	return n.post(t, i)
}

// tick ends the round for peer i.
func (n *network) tick(t testing.TB, i int) []Envelope {
	t.Helper()
	p := n.peers[i]
	if err := p.Tick(n.round, &p.out); err != nil {
		t.Fatalf("peer %d ends round %d: %v", i, n.round, err)
	}
	return n.post(t, i)
}

// deliver hands peer i one message and returns what it sends at once.
func (n *network) deliver(t testing.TB, i int, d Delivery) ([]Envelope, error) {
	t.Helper()
	p := n.peers[i]
	err := p.Receive(d.From, d.Message, &p.out)
	if err != nil && !errors.Is(err, ErrPeer) {
		t.Fatalf("peer %d blames itself for what peer %d sent: %v", i, d.From, err)
	}
	return n.post(t, i), err
}

// post empties the outbox of peer i into what is under way.
func (n *network) post(t testing.TB, i int) []Envelope {
	t.Helper()
	p := n.peers[i]
	es := slices.Clone(p.out.Envelopes())
	p.out.Reset()
	for k := range es {
		es[k].Message = overTheWire(t, es[k].Message)
		if es[k].To != Everyone {
			n.send(Peer(i), es[k].To, es[k].Message)
			continue
		}
		for to := range n.peers {
			if to != i {
				n.send(Peer(i), Peer(to), es[k].Message)
			}
		}
	}
	return es
}

func (n *network) send(from, to Peer, m Message) {
	n.underway = append(n.underway, parcel{to, Delivery{from, m}})
	n.crossed[crossing{min(from, to), max(from, to), m.kind, m.label}]++
}

// take returns what arrives in this round, by peer.
func (n *network) take() [][]Delivery {
	in := make([][]Delivery, len(n.peers))
	for _, p := range n.underway {
		in[p.to] = append(in[p.to], p.Delivery)
	}
	n.underway = n.underway[:0]
	for i := range in {
		Sort(in[i])
	}
	return in
}

// play plays a round of a run without faults: deliver, pull, tick.
func (n *network) play(t testing.TB, pull func(i int) (arm int, reward float64)) {
	t.Helper()
	for i, in := range n.take() {
		for _, d := range in {
			if _, err := n.deliver(t, i, d); err != nil && !n.hostile {
				t.Fatalf("peer %d refuses an honest message: %v", i, err)
			}
		}
	}
	for i := range n.peers {
		if pull != nil {
			arm, reward := pull(i)
			n.pull(t, i, arm, reward)
		}
		n.tick(t, i)
	}
	n.round++
}

// overTheWire encodes m, checks that the encoding keeps its promises, and returns
// what comes out at the other end.
func overTheWire(t testing.TB, m Message) Message {
	t.Helper()
	b := Encode(nil, m)
	if len(b) != Size(&m) {
		t.Fatalf("%v: Size says %d bytes, Encode makes %d", m, Size(&m), len(b))
	}
	got, err := Decode(b)
	if err != nil {
		t.Fatalf("%v does not survive the wire: %v", m, err)
	}
	if !equal(got, m) {
		t.Fatalf("sent     %v\nreceived %v", m, got)
	}
	return got
}

// equal compares messages field by field, without the help of the codec.
func equal(a, b Message) bool {
	return a.kind == b.kind && a.label == b.label && a.round == b.round && a.hops == b.hops &&
		slices.Equal(a.refs, b.refs) &&
		slices.EqualFunc(a.body, b.body, dp.Release.Equal) &&
		slices.EqualFunc(a.sealed, b.sealed, func(x, y dp.Sealed) bool { return bytes.Equal(x.Bytes(), y.Bytes()) }) &&
		bytes.Equal(a.sig, b.sig)
}

// testKeys stand in for signatures: a digest of the signer and the bytes. They
// have a signature's length and fail like one, a hundred times faster.
type testKeys Peer

func (k testKeys) Sign(b []byte) []byte { return digest(Peer(k), b) }

func (k testKeys) Verify(p Peer, b, sig []byte) bool { return bytes.Equal(digest(p, b), sig) }

func digest(p Peer, b []byte) []byte {
	h := sha512.Sum512(append(binary.BigEndian.AppendUint32(nil, uint32(p)), b...))
	return h[:]
}

func seedOf(seed uint64, p Peer, incarnation uint32, use string) (s [32]byte) {
	h := sha512.Sum512(fmt.Appendf(nil, "%d %d %d %s", seed, p, incarnation, use))
	copy(s[:], h[:])
	return s
}

// The graphs.

func path(n int) [][]Peer {
	return graphOf(n, func(link func(a, b int)) {
		for i := range n - 1 {
			link(i, i+1)
		}
	})
}

func ring(n int) [][]Peer {
	return graphOf(n, func(link func(a, b int)) {
		for i := range n {
			link(i, (i+1)%n)
		}
	})
}

func star(n int) [][]Peer {
	return graphOf(n, func(link func(a, b int)) {
		for i := 1; i < n; i++ {
			link(0, i)
		}
	})
}

func complete(n int) [][]Peer {
	return graphOf(n, func(link func(a, b int)) {
		for i := range n {
			for j := range i {
				link(i, j)
			}
		}
	})
}

// randomGraph returns a random tree with extra links: connected, and anything
// from a path to a dense graph.
func randomGraph(n, extra int, rng *rand.Rand) [][]Peer {
	return graphOf(n, func(link func(a, b int)) {
		for i := 1; i < n; i++ {
			link(i, rng.IntN(i))
		}
		for range extra {
			if a, b := rng.IntN(n), rng.IntN(n); a != b {
				link(a, b)
			}
		}
	})
}

func graphOf(n int, links func(link func(a, b int))) [][]Peer {
	g := make([][]Peer, n)
	links(func(a, b int) {
		if !slices.Contains(g[a], Peer(b)) {
			g[a] = append(g[a], Peer(b))
			g[b] = append(g[b], Peer(a))
		}
	})
	for i := range g {
		slices.Sort(g[i])
	}
	return g
}

// lattice returns v·2^e.
func lattice(v int64, e int8) float64 { return math.Ldexp(float64(v), int(e)) }
