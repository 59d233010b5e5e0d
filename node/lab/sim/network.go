package sim

import (
	"math/rand/v2"

	"peerd.dev/protocol"
)

// A Network carries messages between simulated peers, subject to faults. A message that is posted
// in a round arrives at the start of the next one, or later, or never.
type Network struct {
	faults Faults
	mail   *mail
	rng    *rand.Rand
	peers  int
}

// NewNetwork returns a network of a number of peers. The faults draw from rng.
func NewNetwork(peers int, f Faults, rng *rand.Rand) (*Network, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return &Network{faults: f, mail: newMail(peers, f.horizon()), rng: rng, peers: peers}, nil
}

// prompt reports whether every message posted in a round is received in the next one or lost, so
// that nothing is kept longer.
func (n *Network) prompt() bool { return n.faults.horizon() == 0 }

// Post sends one message in round t and reports whether it is lost.
func (n *Network) Post(t protocol.Round, from, to int, m *protocol.Message) (lost bool) {
	d := protocol.Delivery{From: protocol.Peer(from), Message: *m}
	f := &n.faults
	if f.none {
		n.mail.put(to, 0, d)
		return false
	}
	if f.cut(t, from, to, n.peers) || n.rng.Float64() < f.Loss {
		return true
	}
	copies := 1
	if n.rng.Float64() < f.Duplicate {
		copies = 2
	}
	for range copies {
		n.mail.put(to, f.delay(n.rng), d)
	}
	return false
}

// Take returns what a peer receives in this round, sorted. It is valid until Turn.
func (n *Network) Take(i int) []protocol.Delivery {
	in := n.mail.take(i)
	protocol.Sort(in)
	return in
}

// Turn begins the next round.
func (n *Network) Turn() { n.mail.turn() }
