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
	Arms     int
	Absent   []bandit.Arm      // that no peer chooses: retired ones, and places for arms to come
	Graph    [][]protocol.Peer // neighbours of every peer, ascending
	Learner  any               // parameters of an entry of [bandit.Table], whose type says which one
	Protocol any               // parameters of an entry of [protocol.Table]; the same
	Privacy  Privacy
	Public   Seed // of what is drawn alike by all peers
	// Vectors are those of the arms of a simulated world, by site, which peers with arms take in
	// turn, and public. Nil where the world has none that stay the same, or the learner wants none.
	Vectors [][]bandit.Features
	// Explore is the share of choices that explore, as [bandit.Explore] does. Peers need not agree
	// on it.
	Explore float64
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
	Reuse       bool // the driver keeps no message longer than the round after it was sent; see [protocol.Config]
	RoundEnds   bool // the agent sends a round end to each neighbour
}

// NewLearner returns a learner of the network with its random numbers.
func (s *Spec) NewLearner(coins Coins) (bandit.Learner, error) { return s.learner(0, coins) }

// learner returns the learner of a peer.
func (s *Spec) learner(self protocol.Peer, coins Coins) (bandit.Learner, error) {
	entry, err := bandit.EntryOf(s.Learner)
	if err != nil {
		return nil, err
	}
	epsilon := math.Inf(1)
	if e := s.Privacy.Budget.Epsilon; e < dp.Infinite {
		epsilon = e.Float()
	}
	through, err := protocol.EntryOf(s.Protocol)
	if err != nil {
		return nil, err
	}
	peers := through.Learners(s.Protocol, s.Peers())
	return entry.New(bandit.Config{
		Arms: s.Arms, Peers: peers, Origins: through.Origins(s.Protocol, peers), Horizon: s.Privacy.Horizon,
		Leaves: through.Cadence(s.Protocol).Leaves(s.Privacy.Horizon), Epsilon: epsilon, Rand: coins.Rand,
		Self: int(self), Vectors: s.vectors(&through),
	}, s.Learner)
}

// vectors returns those of the arms of every peer.
func (s *Spec) vectors(through *protocol.Entry) (all [][]bandit.Features) {
	if len(s.Vectors) == 0 {
		return nil
	}
	site := 0
	for p := range s.Peers() {
		if !through.Learns(s.Protocol, protocol.Peer(p)) {
			all = append(all, nil)
			continue
		}
		all = append(all, s.Vectors[site%len(s.Vectors)])
		site++
	}
	return all
}

// Statistic returns the shape of what every peer with arms adds up.
func (s *Spec) Statistic() (bandit.Statistic, error) {
	l, err := s.NewLearner(Coins{})
	if err != nil {
		return bandit.Statistic{}, err
	}
	return l.Statistic(), nil
}

// Cadence returns when leaves close.
func (s *Spec) Cadence() (protocol.Cadence, error) {
	entry, err := protocol.EntryOf(s.Protocol)
	if err != nil {
		return protocol.Cadence{}, err
	}
	c := entry.Cadence(s.Protocol)
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

// Check reports whether the protocol carries what the learner adds up, and closes leaves
// as the learner explores.
func (s *Spec) Check() error {
	entry, err := protocol.EntryOf(s.Protocol)
	if err != nil {
		return err
	}
	learner, err := s.NewLearner(Coins{})
	if err != nil {
		return err
	}
	return s.suits(&entry, entry.Cadence(s.Protocol), learner)
}

// CheckCounts reports whether the network can do with the counts that it promises: noised
// ones leave nothing to be seen that rests on exact ones.
func (s *Spec) CheckCounts() error {
	entry, err := protocol.EntryOf(s.Protocol)
	if err != nil {
		return err
	}
	statistic, err := s.Statistic()
	if err != nil {
		return err
	}
	return s.suitsCounts(&entry, entry.Cadence(s.Protocol), statistic)
}

func (s *Spec) suitsCounts(entry *protocol.Entry, c protocol.Cadence, statistic bandit.Statistic) error {
	switch {
	case !s.Privacy.NoisedCounts():
		return nil
	case c.Rounds == 0:
		return fmt.Errorf("node: counts cannot be noised: the leaves of protocol %s close %s, so when they close shows how many rewards there were", entry.Name, c.Text())
	case !entry.NoisedCounts:
		return fmt.Errorf("node: counts cannot be noised: protocol %s computes with exact ones", entry.Name)
	case statistic.Kind != bandit.Sum || statistic.Dim != 1:
		return errors.New("node: counts cannot be noised: the learner adds up more than rewards")
	case s.Privacy.Unclipped:
		return errors.New("node: counts cannot be noised: rewards of this world can be outside of [0, 1]")
	}
	return nil
}

func (s *Spec) suits(entry *protocol.Entry, c protocol.Cadence, l bandit.Learner) error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := s.suitsCounts(entry, c, l.Statistic()); err != nil {
		return err
	}
	if by, ok := l.(bandit.BySite); ok && by.NeedsSites() && !entry.StatesSites(s.Protocol) {
		return fmt.Errorf("node: the learner weighs each site's mean, and protocol %s states none of one site: want one that does, with merge: mean", entry.Name)
	}
	if l.Statistic().Kind == bandit.Centred && s.Privacy.Adjacency == dp.ZeroOut {
		return errors.New("node: rewards cannot be centred where neighbours have 0 for them: a reward of 0 adds something then")
	}
	_, phased := l.(bandit.Phased)
	switch width := l.Statistic().Width(); {
	case width > 1 && !entry.Wide:
		return fmt.Errorf("node: protocol %s carries one number a part, and the learner's sums have %d", entry.Name, width)
	case width == 1 && entry.Wide:
		return fmt.Errorf("node: protocol %s adds up over sites, and the learner wants a mean of rewards", entry.Name)
	case phased && c.Epochs == 0:
		return fmt.Errorf("node: the learner explores in epochs, and protocol %s has none", entry.Name)
	case !phased && c.Epochs > 0:
		return fmt.Errorf("node: protocol %s has epochs, and the learner does not explore in any", entry.Name)
	}
	return nil
}

// Agent returns a peer that has seen nothing. The whole horizon of its streams is charged:
// the first Ready holds the charge.
func (s *Spec) Agent(c PeerConfig) (*Agent, error) {
	entry, err := protocol.EntryOf(s.Protocol)
	if err != nil {
		return nil, err
	}
	return s.Assemble(c, entry, func(coins Coins) (bandit.Learner, error) { return s.learner(c.Self, coins) })
}

// Assemble is [Spec.Agent] with a protocol and a learner that the tables need not list:
// tests have such.
func (s *Spec) Assemble(c PeerConfig, entry protocol.Entry, learn func(Coins) (bandit.Learner, error)) (*Agent, error) {
	if p := s.Privacy; p.Unclipped && (p.Mode != dp.Lockstep || p.Mechanism.Law() == dp.Gaussian) {
		return nil, errors.New("node: unclipped rewards are for lockstep and Laplace noise")
	}
	if !(s.Explore >= 0 && s.Explore <= 1) {
		return nil, fmt.Errorf("node: explore %v, want a share from 0 to 1", s.Explore)
	}
	raw := entry.FromRaw(s.Protocol)
	if raw != (protocol.Raw{}) && s.Privacy.Mode != dp.Lockstep {
		return nil, fmt.Errorf("node: %v of protocol %s follow from raw records, which is for lockstep", raw, entry.Name)
	}
	a := &Agent{
		arms: s.Arms, absent: s.Absent, explore: s.Explore, spent: -1, noisedCounts: s.Privacy.NoisedCounts(), self: c.Self, neighbours: s.Graph[c.Self], roundEnds: c.RoundEnds,
		coins: [3]Coins{c.Seed.Coins("learner"), c.Seed.Coins("protocol"), c.Seed.Coins("secret")},
	}
	learner, err := learn(a.coins[0])
	if err != nil {
		return nil, err
	}
	if raw != (protocol.Raw{}) {
		statistic := learner.Statistic()
		a.raw = newRawRecords(raw, entry.Cadence(s.Protocol).Streams(statistic.Parts), statistic.Width())
	}
	budget := s.Privacy.Budget
	budget.Epsilon, _, _ = s.Privacy.paid()
	if a.curator, err = dp.NewCurator(s.Privacy.Mode, budget, c.Noise); err != nil {
		return nil, err
	}
	cadence, statistic := entry.Cadence(s.Protocol), learner.Statistic()
	streams := s.Privacy.Streams(statistic, cadence)
	charge, err := streams.Charge()
	if err != nil {
		return nil, err
	}
	if err = s.suits(&entry, cadence, learner); err != nil {
		return nil, err
	}
	if entry.Learns(s.Protocol, c.Self) {
		a.learner, a.closing = learner, newClosing(cadence, learner)
		if _, err = a.curator.Open(streams); err != nil {
			return nil, err
		}
	}
	a.protocol, err = entry.New(protocol.Config{
		Self: c.Self, Incarnation: c.Incarnation, Graph: s.Graph, Parts: statistic.Parts, Width: statistic.Width(),
		NoisedCounts: s.Privacy.NoisedCounts(), Charge: charge, Keys: c.Keys,
		Topic: c.Topic, Reuse: c.Reuse, Rand: a.coins[1].Rand, Secret: a.coins[2].Rand, Public: s.Public,
	}, s.Protocol)
	return a, err
}
