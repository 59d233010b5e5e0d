package protocoltest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// A Network is a few peers of one protocol and what is under way between them.
type Network struct {
	Setting
	Peers    []*Peer
	Round    protocol.Round
	Underway []Parcel
	Crossed  map[Crossing]int // how often every message crossed a link
	Hostile  bool             // a peer lies, so messages of honest peers can be refused
	Faults   map[int][]error  // what peers found wrong with others, by peer
}

// A Parcel is a message under way.
type Parcel struct {
	To protocol.Peer
	protocol.Delivery
}

// A Crossing is one message on one link, in either direction: A < B.
type Crossing struct {
	A, B  protocol.Peer
	Kind  protocol.Kind
	Label protocol.Label
}

// New makes a peer at every vertex of the graph.
func New(t testing.TB, s Setting) *Network {
	t.Helper()
	n := &Network{Setting: s, Crossed: make(map[Crossing]int), Faults: make(map[int][]error)}
	for i := range s.Graph {
		n.Peers = append(n.Peers, s.Peer(t, protocol.Peer(i), 0))
	}
	return n
}

// Pull has peer i choose an arm and see its reward at once. It returns what the peer sends
// then. An idle peer does nothing.
func (n *Network) Pull(t testing.TB, i, arm int, reward float64) []protocol.Envelope {
	t.Helper()
	if n.Peers[i].Idle() {
		return nil
	}
	return n.Reward(t, i, n.Choose(i, arm), arm, reward)
}

// Choose has peer i choose an arm whose reward comes later.
func (n *Network) Choose(i, arm int) node.Route {
	n.Peers[i].Pulls[arm]++
	return n.Peers[i].Chose(n.Round, node.Ruled(bandit.Arm(arm)))
}

// Reward has peer i see the reward of a choice.
func (n *Network) Reward(t testing.TB, i int, r node.Route, arm int, reward float64) []protocol.Envelope {
	t.Helper()
	if err := n.Peers[i].Observed(r, bandit.Pull{Arm: bandit.Arm(arm), Reward: bandit.Reward(reward)}); err != nil {
		t.Fatalf("peer %d pulls arm %d: %v", i, arm, err)
	}
	es, _ := n.post(t, i)
	return es
}

// Tick ends the round for peer i and returns what it sends.
func (n *Network) Tick(t testing.TB, i int) []protocol.Envelope {
	t.Helper()
	if err := n.Peers[i].Tick(n.Round); err != nil {
		t.Fatalf("peer %d ends round %d: %v", i, n.Round, err)
	}
	es, _ := n.post(t, i)
	return es
}

// Deliver hands peer i one message. It returns what the peer sends at once, and an error if
// it refuses the message.
func (n *Network) Deliver(t testing.TB, i int, d protocol.Delivery) ([]protocol.Envelope, error) {
	t.Helper()
	n.Peers[i].Receive([]protocol.Delivery{d})
	es, err := n.post(t, i)
	if err != nil && !errors.Is(err, protocol.ErrPeer) {
		t.Fatalf("peer %d blames itself for what peer %d sent: %v", i, d.From, err)
	}
	return es, err
}

// post empties the outbox of peer i into what is under way.
func (n *Network) post(t testing.TB, i int) ([]protocol.Envelope, error) {
	t.Helper()
	r := n.Peers[i].Ready()
	es := slices.Clone(r.Messages)
	carry := n.Carry
	if carry == nil {
		carry = Carry
	}
	for k := range es {
		es[k].Message = carry(t, es[k].Message)
		if es[k].To != protocol.Everyone {
			n.send(protocol.Peer(i), es[k].To, es[k].Message)
			continue
		}
		for to := range n.Peers {
			if to != i {
				n.send(protocol.Peer(i), protocol.Peer(to), es[k].Message)
			}
		}
	}
	return es, errors.Join(r.Refused...)
}

func (n *Network) send(from, to protocol.Peer, m protocol.Message) {
	n.Underway = append(n.Underway, Parcel{to, protocol.Delivery{From: from, Message: m}})
	n.Crossed[Crossing{min(from, to), max(from, to), m.Kind(), m.Label()}]++
}

// Take returns what arrives in this round, by peer.
func (n *Network) Take() [][]protocol.Delivery {
	in := make([][]protocol.Delivery, len(n.Peers))
	for _, p := range n.Underway {
		in[p.To] = append(in[p.To], p.Delivery)
	}
	n.Underway = n.Underway[:0]
	for i := range in {
		protocol.Sort(in[i])
	}
	return in
}

// Play plays a round: every peer processes what arrived, pulls an arm, if there is a pull, and
// ticks. A message that is refused fails the test, unless a peer lies.
func (n *Network) Play(t testing.TB, pull func(i int) (arm int, reward float64)) {
	t.Helper()
	for i, in := range n.Take() {
		for _, d := range in {
			_, err := n.Deliver(t, i, d)
			if err != nil && !n.Hostile {
				t.Fatalf("peer %d refuses an honest message: %v", i, err)
			}
			if err != nil {
				n.Faults[i] = append(n.Faults[i], err)
			}
		}
	}
	for i := range n.Peers {
		if pull != nil && !n.Peers[i].Idle() {
			arm, reward := pull(i)
			n.Pull(t, i, arm, reward)
		}
		n.Tick(t, i)
	}
	n.Round++
}

// Choices returns choices and rewards for [Network.Play], all from one seed: forced arms if
// there are any, else any arm.
func (n *Network) Choices(seed uint64) func(i int) (int, float64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	return func(i int) (int, float64) {
		if b := n.Peers[i].Belief().Forced; len(b) > 0 {
			return b[rng.IntN(len(b))], rng.Float64()
		}
		return rng.IntN(n.Arms), rng.Float64()
	}
}

// Restart puts a peer in the place of peer i that goes on from its saved state.
func (n *Network) Restart(t testing.TB, i int, incarnation uint32) {
	t.Helper()
	was := n.Peers[i]
	state, err := was.Save()
	if err != nil {
		t.Fatalf("peer %d: %v", i, err)
	}
	p := n.Peer(t, protocol.Peer(i), incarnation)
	if err := p.Load(state); err != nil {
		t.Fatalf("peer %d: %v", i, err)
	}
	p.Pulls, p.Released = was.Pulls, was.Released
	n.Peers[i] = p
}
