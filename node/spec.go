package node

import (
	"errors"
	"fmt"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// Spec is what all peers of a network agree on.
type Spec struct {
	Arms     int
	Absent   []bandit.Arm      // arms that no peer chooses: retired ones, and places for later arms
	Graph    [][]protocol.Peer // neighbours of every peer, ascending
	Learner  bandit.Params
	Protocol protocol.Params
	Privacy  Privacy
	Public   Seed    // of draws that all peers share
	Wrap     Wrapper // nil for none; for [dp.Lockstep] alone
	// Give says which decisions are given. With [GiveFew], Protocol is what [Spec.Giving] returns.
	Give Give
	// Sites is the number of sites for which the rule of giving is made, so that batches stay as they are while a network
	// grows; 0 stands for the sites of the graph.
	Sites int
	// Inside is ε of the noise on own rewards before the kept learner sees them; 0 for none.
	Inside float64
	// Explore is the share of choices that explore, as in [bandit.Explore]. Peers need not agree
	// on it.
	Explore float64
}

// A Wrapper changes the learner and the protocol of a peer with streams, where a laboratory plays what papers
// print. Together they see what no protocol may.
type Wrapper func(dp.Spec, bandit.Learner, protocol.Protocol) (bandit.Learner, protocol.Protocol, error)

// Peers returns how many peers the network has.
func (s *Spec) Peers() int { return len(s.Graph) }

// PeerConfig is one peer's part of a network.
type PeerConfig struct {
	Self        protocol.Peer
	Incarnation uint32
	Seed        Seed       // private; noise has a source of its own
	Noise       *dp.Source // of noise
	Keys        vouch.Value[protocol.Keys]
	Topic       bool // the transport carries messages to everyone
	Reuse       bool // the driver keeps no message longer than the round after it was sent; see [protocol.Config]
	RoundEnds   bool // the agent sends a round end to each neighbour
}

// NewLearner returns a learner of the network with its random numbers.
func (s *Spec) NewLearner(coins Coins) (bandit.Learner, error) { return s.learner(0, coins) }

// learner returns the learner of a peer.
func (s *Spec) learner(self protocol.Peer, coins Coins) (bandit.Learner, error) {
	epsilon := math.Inf(1)
	if e := s.Privacy.Budget.Epsilon; e < dp.Infinite {
		epsilon = e.Float()
	}
	peers := protocol.Learners(s.Protocol, s.Peers())
	return bandit.New(s.Learner, bandit.Config{
		Arms: s.Arms, Peers: peers, Origins: protocol.Origins(s.Protocol, peers), Horizon: s.Privacy.Horizon,
		Leaves: s.Protocol.Cadence().Leaves(s.Privacy.Horizon), Epsilon: epsilon, Rand: coins.Rand,
		Self: int(self),
	})
}

// Statistic returns the shape of the statistic that every peer with arms adds up.
func (s *Spec) Statistic() (bandit.Statistic, error) {
	l, err := s.NewLearner(Coins{})
	if err != nil {
		return bandit.Statistic{}, err
	}
	return l.Statistic(), nil
}

// Cadence returns when leaves close.
func (s *Spec) Cadence() (protocol.Cadence, error) {
	c := s.Protocol.Cadence()
	return c, c.Check()
}

// Streams returns the streams that every peer with arms opens, and is charged for, when it
// starts.
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

// Charge returns what every peer with arms is charged when it starts. If the budget does not pay for it, the error is
// the *[dp.BudgetError] with which a peer would not start.
func (s *Spec) Charge() (dp.Charge, error) {
	streams, err := s.Streams()
	if err != nil {
		return dp.Charge{}, err
	}
	curator, err := s.Privacy.curator(dp.Lockstep, streams, nil) // it draws nothing
	if err != nil {
		return dp.Charge{}, err
	}
	if _, err = curator.Open(streams); err != nil {
		return dp.Charge{}, err
	}
	return curator.TakeCharges()[0], nil
}

// curator returns a curator with the budget for streams.
func (p Privacy) curator(mode dp.Mode, streams dp.Spec, noise *dp.Source) (*dp.Curator, error) {
	budget := p.Budget
	if p.Mode == dp.Lockstep {
		budget.Epsilon = streams.Epsilon
	}
	return dp.NewCurator(mode, vouch.For(budget), noise)
}

// Check returns an error unless the protocol carries what the learner adds up, and closes leaves
// as the learner explores.
func (s *Spec) Check() error {
	learner, err := s.NewLearner(Coins{})
	if err != nil {
		return err
	}
	return s.suits(learner)
}

// CheckCounts returns an error unless the network works with the counts that it promises: with
// noised ones, nothing visible may depend on exact ones.
func (s *Spec) CheckCounts() error {
	statistic, err := s.Statistic()
	if err != nil {
		return err
	}
	return s.suitsCounts(statistic)
}

func (s *Spec) suitsCounts(statistic bandit.Statistic) error {
	name, c := s.Protocol.Words().Name, s.Protocol.Cadence()
	switch {
	case !s.Privacy.NoisedCounts():
		return nil
	case c.Rounds == 0:
		return fmt.Errorf("node: counts cannot be noised: the leaves of protocol %s close %s, so when they close shows how many rewards there were", name, c.Text())
	case !protocol.TraitsOf(s.Protocol).NoisedCounts:
		return fmt.Errorf("node: counts cannot be noised: protocol %s computes with exact ones", name)
	case statistic.Kind != bandit.Sum || statistic.Dim != 1:
		return errors.New("node: counts cannot be noised: the learner adds up more than rewards")
	}
	return nil
}

func (s *Spec) suits(l bandit.Learner) error {
	name, c, traits := s.Protocol.Words().Name, s.Protocol.Cadence(), protocol.TraitsOf(s.Protocol)
	if err := c.Check(); err != nil {
		return err
	}
	if err := s.suitsCounts(l.Statistic()); err != nil {
		return err
	}
	if by, ok := l.(bandit.BySite); ok && by.NeedsSites() && !traits.Sites {
		return fmt.Errorf("node: the learner weighs what each site releases, and protocol %s states only the mean or the sum over sites", name)
	}
	if l.Statistic().Kind == bandit.Centred && s.Privacy.Adjacency == dp.ZeroOut {
		return errors.New("node: rewards cannot be centred where neighbours have 0 for them: a reward of 0 adds something then")
	}
	if err := s.suitsGive(l); err != nil {
		return err
	}
	_, phased := l.(bandit.Phased)
	switch width := l.Statistic().Width(); {
	case width > 1 && !traits.Wide:
		return fmt.Errorf("node: protocol %s carries one number a part, and the learner's sums have %d", name, width)
	case width == 1 && traits.Wide:
		return fmt.Errorf("node: protocol %s adds up over sites, and the learner wants a mean of rewards", name)
	case phased && c.Epochs == 0:
		return fmt.Errorf("node: the learner explores in epochs, and protocol %s has none", name)
	case !phased && c.Epochs > 0:
		return fmt.Errorf("node: protocol %s has epochs, and the learner does not explore in any", name)
	}
	return nil
}

// Agent returns a peer before its first round. The whole horizon of its streams is charged: the
// first Ready has the charge.
func (s *Spec) Agent(c PeerConfig) (*Agent, error) {
	speak := func(p protocol.Config) (protocol.Protocol, error) { return protocol.New(s.Protocol, p) }
	return s.Assemble(c, speak, func(coins Coins) (bandit.Learner, error) { return s.learner(c.Self, coins) })
}

// Assemble is [Spec.Agent] with functions that make the protocol and the learner, with which
// tests can watch them.
func (s *Spec) Assemble(c PeerConfig, speak func(protocol.Config) (protocol.Protocol, error), learn func(Coins) (bandit.Learner, error)) (*Agent, error) {
	if !(s.Explore >= 0 && s.Explore <= 1) {
		return nil, fmt.Errorf("node: explore %v, want a share from 0 to 1", s.Explore)
	}
	if s.Wrap != nil && s.Privacy.Mode != dp.Lockstep {
		return nil, errors.New("node: a wrapped learner and protocol are for lockstep")
	}
	a := &Agent{
		arms: s.Arms, absent: s.Absent, explore: s.Explore, spent: -1, noisedCounts: s.Privacy.NoisedCounts(), self: c.Self, neighbours: s.Graph[c.Self], roundEnds: c.RoundEnds,
		keeps: s.Give.Keeps(), coins: [3]Coins{c.Seed.Coins("learner"), c.Seed.Coins("protocol"), c.Seed.Coins("secret")},
	}
	learner, err := learn(a.coins[0])
	if err != nil {
		return nil, err
	}
	cadence, statistic := s.Protocol.Cadence(), learner.Statistic()
	streams := s.Privacy.Streams(statistic, cadence)
	if a.curator, err = s.Privacy.curator(s.Privacy.Mode, streams, c.Noise); err != nil {
		return nil, err
	}
	charge, err := streams.Charge()
	if err != nil {
		return nil, err
	}
	if err = s.suits(learner); err != nil {
		return nil, err
	}
	a.addsUp = !s.Privacy.Mechanism.Running() && cadence.Window == 0 && statistic.Kind == bandit.Sum && statistic.Dim == 1
	if protocol.Learns(s.Protocol, c.Self) {
		a.giver = s.giver(c.Self, statistic)
		if gift, ok := a.giver.(*bandit.Gift); ok {
			learner = gift
		}
		a.learner, a.closing = learner, newClosing(cadence, learner)
		if _, err = a.curator.Open(streams); err != nil {
			return nil, err
		}
	}
	a.protocol, err = speak(protocol.Config{
		Self: c.Self, Incarnation: c.Incarnation, Graph: s.Graph, Parts: statistic.Parts, Width: statistic.Width(),
		NoisedCounts: s.Privacy.NoisedCounts(), Charge: charge, Keys: c.Keys,
		Topic: c.Topic, Reuse: c.Reuse, Rand: a.coins[1].Rand, Secret: a.coins[2].Rand, Public: s.Public,
	})
	if err == nil && s.Wrap != nil && !a.Idle() {
		a.learner, a.protocol, err = s.Wrap(streams, a.learner, a.protocol)
	}
	if err == nil && !a.Idle() {
		a.gives = !a.keeps
		a.wish()
	}
	return a, err
}
