package node

import (
	"errors"
	"fmt"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Spec is what all peers of a network agree on.
type Spec struct {
	Arms           int
	Graph          [][]protocol.Peer // neighbours of every peer, ascending
	Learner        string            // of bandit.Table
	LearnerParams  any
	Protocol       string // of protocol.Table
	ProtocolParams any
	Privacy        Privacy
	Public         Seed // of what is drawn alike by all peers
}

// Peers returns how many peers the network has.
func (s *Spec) Peers() int { return len(s.Graph) }

// PeerConfig is one peer's part of a network.
type PeerConfig struct {
	Self        protocol.Peer
	Incarnation uint32
	Seed        Seed       // private; noise has a source of its own
	Noise       *dp.Source // of noise
	Keys        protocol.Keys
	Topic       bool // the transport carries messages to everyone
	Marks       bool // the agent ends every round with a mark to each neighbour
}

// Learner returns a learner of the network with its random numbers.
func (s *Spec) learner(coins Coins) (bandit.Learner, error) {
	entry, err := bandit.Lookup(s.Learner)
	if err != nil {
		return nil, err
	}
	epsilon := math.Inf(1)
	if e := s.Privacy.Budget.Epsilon; e < dp.Infinite {
		epsilon = e.Float()
	}
	return entry.New(bandit.Config{
		Arms: s.Arms, Peers: s.Peers(), Horizon: s.Privacy.Horizon, Epsilon: epsilon, Rand: coins.Rand,
	}, s.LearnerParams)
}

// Statistic returns the shape of what every peer with arms adds up.
func (s *Spec) Statistic() (bandit.Statistic, error) {
	l, err := s.learner(Coins{})
	if err != nil {
		return bandit.Statistic{}, err
	}
	return l.Statistic(), nil
}

// Cadence returns when leaves close.
func (s *Spec) Cadence() (protocol.Cadence, error) {
	entry, err := protocol.Lookup(s.Protocol)
	if err != nil {
		return protocol.Cadence{}, err
	}
	c := entry.Cadence(s.ProtocolParams)
	return c, c.Check()
}

// Streams returns what every peer with arms opens, and is charged for, when it starts.
func (s *Spec) Streams() (dp.Spec, error) {
	c, err := s.Cadence()
	if err != nil {
		return dp.Spec{}, err
	}
	statistic, err := s.Statistic()
	if err != nil {
		return dp.Spec{}, err
	}
	return s.Privacy.Streams(statistic, c), nil
}

// Agent returns a peer that has seen nothing. The whole horizon of its streams is charged:
// the first Ready holds the charge.
func (s *Spec) Agent(c PeerConfig) (*Agent, error) {
	entry, err := protocol.Lookup(s.Protocol)
	if err != nil {
		return nil, err
	}
	return s.Assemble(c, entry, s.learner)
}

// Assemble is [Spec.Agent] with a protocol and a learner that the tables need not list:
// tests have such.
func (s *Spec) Assemble(c PeerConfig, entry protocol.Entry, learn func(Coins) (bandit.Learner, error)) (*Agent, error) {
	if p := s.Privacy; p.Unclipped && (p.Mode != dp.Lockstep || p.Mechanism.Law() == dp.Gaussian) {
		return nil, errors.New("node: unclipped rewards are for lockstep and Laplace noise")
	}
	a := &Agent{
		spent: -1, self: c.Self, neighbours: s.Graph[c.Self], marks: c.Marks,
		coins: [3]Coins{c.Seed.Coins("learner"), c.Seed.Coins("protocol"), c.Seed.Coins("secret")},
	}
	learner, err := learn(a.coins[0])
	if err != nil {
		return nil, err
	}
	budget := s.Privacy.Budget
	budget.Epsilon, _, _ = s.Privacy.paid()
	if a.door, err = dp.NewDoor(s.Privacy.Mode, budget, c.Noise); err != nil {
		return nil, err
	}
	cadence, statistic := entry.Cadence(s.ProtocolParams), learner.Statistic()
	if statistic.Width() > 1 && !entry.Wide {
		return nil, fmt.Errorf("node: protocol %s carries one number a part, learner %s has %d", s.Protocol, s.Learner, statistic.Width())
	}
	if entry.Learns(s.ProtocolParams, c.Self) {
		a.learner, a.closing = learner, newClosing(cadence, learner)
		if _, err = a.door.Open(s.Privacy.Streams(statistic, cadence)); err != nil {
			return nil, err
		}
	}
	a.protocol, err = entry.New(protocol.Config{
		Self: c.Self, Incarnation: c.Incarnation, Graph: s.Graph, Parts: statistic.Parts, Width: statistic.Width(),
		Keys: c.Keys, Topic: c.Topic, Rand: a.coins[1].Rand, Secret: a.coins[2].Rand, Public: s.Public,
	}, s.ProtocolParams)
	return a, err
}
