package node

import (
	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Spec is what all peers of a network agree on.
type Spec struct {
	Arms       int
	Peers      int
	Confidence bandit.Confidence
	Protocol   string
	Params     protocol.Params
	Privacy    Privacy
}

// Seat is one peer's place in the network.
type Seat struct {
	Self        protocol.Peer
	Incarnation uint32
	Neighbours  []protocol.Peer // ascending
	Seed        Seed
	Noise       *dp.Source
	Keys        protocol.Keys
	Topic       bool
	Marks       bool
	Closed      []uint64 // leaves that earlier incarnations closed, by arm; nil for none
}

// Agent returns the agent of a seat.
func (s Spec) Agent(at Seat) (*Agent, error) {
	entry, err := protocol.Lookup(s.Protocol)
	if err != nil {
		return nil, err
	}
	coins := at.Seed.Coins("learner")
	learner, err := bandit.NewUCB(s.Arms, s.Peers, s.Confidence, coins.Rand)
	if err != nil {
		return nil, err
	}
	return NewAgent(AgentConfig{
		Self: at.Self, Incarnation: at.Incarnation, Neighbours: at.Neighbours, Peers: s.Peers,
		Learner: learner, Coins: coins, Protocol: entry, Params: s.Params, Privacy: s.Privacy,
		Noise: at.Noise, Schedule: at.Seed.Coins("protocol"), Keys: at.Keys, Topic: at.Topic, Marks: at.Marks,
		Closed: at.Closed,
	})
}
