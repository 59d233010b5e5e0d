// Package node is the peer: an [Agent], and a [Node] that gives it a clock, a
// world and a transport.
package node

import (
	"errors"
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/protocol"
)

// Privacy is what a peer promises its users.
type Privacy struct {
	Mode           dp.Mode
	Budget         account.Budget // for everything the peer ever releases
	Mechanism      dp.Mechanism
	Adjacency      dp.Adjacency
	Calibration    dp.Calibration
	RecordsPerUser uint64
	Horizon        uint64 // rounds that the budget pays for

	// Unclipped takes rewards as they are, within ±[Reach], with the Laplace noise that ε
	// needs for rewards from 0 to 1, as papers do it that promise for the one and play the
	// other. It costs 2·Reach times as much, and is for [dp.Lockstep] alone.
	Unclipped bool
}

// Reach bounds unclipped rewards.
const Reach = 128

// paid returns what of the budget all streams are charged, and the bounds of rewards.
func (p Privacy) paid() (epsilon dp.Cost, lo, hi float64) {
	switch {
	case !p.Unclipped:
		return p.Budget.Epsilon, 0, 1
	case p.Budget.Epsilon > dp.Infinite/(2*Reach):
		return dp.Infinite, -Reach, Reach
	}
	return 2 * Reach * p.Budget.Epsilon, -Reach, Reach
}

// Streams returns the streams of a statistic's parts, each a sum of vectors of dim
// numbers from 0 to 1, unless they are not clipped, over a number of leaves.
func (p Privacy) Streams(parts, dim int, leaves uint64) dp.Spec {
	epsilon, lo, hi := p.paid()
	return dp.Spec{
		What:    fmt.Sprintf("reward sums of %d arms", parts),
		Streams: parts, Dim: dim, Lo: lo, Hi: hi, Leaves: leaves,
		RecordsPerUser: p.RecordsPerUser, Adjacency: p.Adjacency, Mechanism: p.Mechanism,
		Epsilon: epsilon, Delta: p.Budget.Delta.Float(), Calibration: p.Calibration,
	}
}

// AgentConfig describes an Agent.
type AgentConfig struct {
	Self        protocol.Peer
	Incarnation uint32
	Neighbours  []protocol.Peer // ascending
	Peers       int             // in the network
	Learner     bandit.Learner
	Coins       Coins // of the learner
	Protocol    protocol.Entry
	Params      protocol.Params
	Privacy     Privacy
	Noise       *dp.Source
	Schedule    Coins // of the protocol
	Keys        protocol.Keys
	Topic       bool // the transport carries messages to everyone
	Marks       bool // the agent ends every round with a mark to each neighbour
	Closed      []uint64
}

// An Agent is a peer with the world taken away: a learner, a protocol, and the
// door between them. It has no clock, socket, file or goroutine, is
// deterministic, and is not safe for concurrent use.
type Agent struct {
	self       protocol.Peer
	neighbours []protocol.Peer
	marks      bool
	learner    bandit.Learner
	protocol   protocol.Protocol
	door       *dp.Door
	coins      [2]Coins // of the learner, of the protocol

	out     protocol.Outbox
	refused []error
	record  []float64 // scratch
	spent   float64   // ε, or -1 while nobody asked; the streams are charged when they open, and all open at the start
}

// Ready is what an Agent asks of its driver: make Charges durable, then send
// Messages. The slices are good until the next step.
type Ready struct {
	Charges  []dp.Charge
	Drawn    []dp.Release // nodes that got their noise; fresh, not derived
	Messages []protocol.Envelope
	Refused  []error // what peers did wrong
}

// NewAgent returns an agent that has seen nothing. The whole horizon of its
// streams is charged: the first Ready holds the charge.
func NewAgent(c AgentConfig) (*Agent, error) {
	if p := c.Privacy; p.Unclipped && (p.Mode != dp.Lockstep || p.Mechanism.Law() == dp.Gaussian) {
		return nil, errors.New("node: unclipped rewards are for lockstep and Laplace noise")
	}
	budget := c.Privacy.Budget
	budget.Epsilon, _, _ = c.Privacy.paid()
	door, err := dp.NewDoor(c.Privacy.Mode, budget, c.Noise)
	if err != nil {
		return nil, err
	}
	parts, dim := c.Learner.Shape()
	_, err = door.Open(c.Privacy.Streams(parts, dim, c.Protocol.Leaves(c.Params, c.Privacy.Horizon)))
	if err != nil {
		return nil, err
	}
	a := &Agent{
		spent: -1,
		self:  c.Self, neighbours: c.Neighbours, marks: c.Marks,
		learner: c.Learner, door: door, coins: [2]Coins{c.Coins, c.Schedule},
	}
	a.protocol, err = c.Protocol.New(protocol.Config{
		Self: c.Self, Incarnation: c.Incarnation, Neighbours: c.Neighbours, Peers: c.Peers,
		Arms: parts, Draw: door, Rand: c.Schedule.Rand, Keys: c.Keys, Topic: c.Topic, Closed: c.Closed,
	}, c.Params)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// A World pays rewards.
type World interface {
	Play(arm bandit.Arm) (bandit.Reward, error)
}

// Round plays round t: it takes in what arrived, chooses an arm from what is
// public, plays it, and lets the protocol end the round. Messages that are a
// peer's fault are dropped and reported in Ready; any error returned is this
// peer's own and leaves it unusable.
func (a *Agent) Round(t protocol.Round, in []protocol.Delivery, w World) (bandit.Arm, error) {
	a.Receive(in)
	arm := a.Choose(bandit.Turn{Round: uint64(t)}).Arm
	a.Pull(arm)
	reward, err := w.Play(arm)
	if err != nil {
		return arm, err
	}
	if err := a.Record(arm, reward); err != nil {
		return arm, err
	}
	return arm, a.Tick(t)
}

// Choose returns the learner's choice, which is public.
func (a *Agent) Choose(t bandit.Turn) bandit.Choice {
	return a.learner.Choose(a.bugBelief(a.Belief()), t)
}

// Pull says that an arm was chosen.
func (a *Agent) Pull(arm bandit.Arm) { a.protocol.Chosen(int(arm)) }

// Record takes in the reward of a pull.
func (a *Agent) Record(arm bandit.Arm, reward bandit.Reward) error {
	r := a.learner.Record(bandit.Pull{Arm: arm, Reward: reward}, a.record)
	a.record = r.X
	if err := a.door.Add(dp.StreamID(r.Part), r.X); err != nil {
		return err
	}
	return a.protocol.Pulled(int(arm), &a.out)
}

// Tick ends round t.
func (a *Agent) Tick(t protocol.Round) error {
	silent := a.bugSilent()
	if err := a.protocol.Tick(t, &a.out); err != nil {
		return err
	}
	if silent {
		a.out.Reset()
	}
	if a.marks {
		a.out.EndRound(a.self, t, a.neighbours)
	}
	return nil
}

// Receive takes in what arrived, in the order of [protocol.Sort].
func (a *Agent) Receive(in []protocol.Delivery) {
	for i := range in {
		if err := a.protocol.Receive(in[i].From, in[i].Message, &a.out); err != nil {
			a.refused = append(a.refused, fmt.Errorf("from peer %d: %w", in[i].From, err))
		}
	}
}

// Ready returns what is to be done and forgets it.
func (a *Agent) Ready() Ready {
	r := Ready{a.door.Charges(), a.door.Drawn(), a.out.Envelopes(), a.refused}
	a.refused = a.refused[:0]
	a.out.Reset()
	return r
}

// Belief returns what the agent's next decision will rest on.
func (a *Agent) Belief() *bandit.Belief { return (*bandit.Belief)(a.protocol.Belief()) }

// Radii appends to r the confidence radius of every arm with which the learner would
// choose in round t from [Agent.Belief]; nothing if the learner is no [bandit.Bounder].
func (a *Agent) Radii(r []bandit.Radius, t protocol.Round) []bandit.Radius {
	if l, ok := a.learner.(bandit.Bounder); ok {
		r = l.Radii(r, a.Belief(), uint64(t))
	}
	return r
}

// Spent returns the ε that all charges amount to at the budget's δ.
func (a *Agent) Spent() float64 {
	if a.spent < 0 {
		a.spent, _ = a.door.Budget().Used(a.door.Spent()) // the budget pays for it, so it has one
	}
	return a.spent
}

// Left returns the ε that is not charged.
func (a *Agent) Left() float64 { return a.door.Budget().Epsilon.Float() - a.Spent() }
