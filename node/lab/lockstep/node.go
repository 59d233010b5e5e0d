// Package lockstep drives a [node.Agent] in rounds that wait for each other. It protects no one:
// with the same seeds, processes and the simulator do the same, byte for byte.
package lockstep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/protocol"
)

// Config describes a Node.
type Config struct {
	Agent      *node.Agent
	Half       *kept.Half   // nil if the agent gives all decisions
	World      bandit.World // nil for an idle agent
	Transport  node.Transport
	Neighbours []protocol.Peer
	Rounds     uint64 // to play
	Trace      *Trace // nil for none
	Logger     *slog.Logger
}

// A Node drives a [node.Agent] in lockstep: a round begins when all messages of the last one are
// in. It protects no one, so it stores nothing. The goroutine of Run owns the agent; other
// goroutines ask it.
type Node struct {
	c      Config
	asks   chan chan node.Status
	status node.Status
}

// New returns a node before its first round.
func New(c Config) *Node {
	return &Node{c: c, asks: make(chan chan node.Status), status: node.Status{Rounds: c.Rounds, Learning: node.Goes}}
}

// Run plays the rounds, then answers questions until ctx is done, which is a nil error.
func (n *Node) Run(ctx context.Context) error {
	l := newRounds(n.c.Neighbours)
	for t := protocol.Round(0); uint64(t) < n.c.Rounds; t++ {
		in, err := n.gather(ctx, l, t)
		if err != nil {
			return n.ended(ctx, err)
		}
		if err := n.play(ctx, t, in); err != nil {
			return n.ended(ctx, fmt.Errorf("round %d: %w", t, err))
		}
	}
	return n.linger(ctx)
}

// linger answers questions after the last round until ctx is done.
func (n *Node) linger(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case q := <-n.asks:
			q <- n.snapshot()
		case <-n.c.Transport.Inbox():
		}
	}
}

func (n *Node) play(ctx context.Context, t protocol.Round, in []protocol.Delivery) error {
	protocol.Sort(in)
	played, err := kept.Round(n.c.Agent, n.c.Half, t, in, n.c.World)
	if err != nil {
		return err
	}
	ready := n.c.Agent.Ready()
	if n.c.Trace != nil {
		if err := n.c.Trace.Step(t, int(played.Pull.Arm), n.c.Agent.Belief(), ready.Drawn); err != nil {
			return err
		}
	}
	if played.Changed {
		n.c.Logger.Warn("own rewards show that the mean of an arm has changed: the site forgets what it kept before", "arm", played.Pull.Arm, "round", t)
	}
	s := &n.status
	s.Round = uint64(t) + 1
	if arm := played.Pull.Arm; arm != bandit.NoArm {
		for int(arm) >= len(s.Pulls) {
			s.Pulls = append(s.Pulls, 0)
		}
		s.Pulls[arm]++
		s.Regret += n.c.World.Regret(arm)
	}
	s.Released += uint64(len(ready.Drawn))
	s.Refused += uint64(len(ready.Refused))
	s.Spent = n.c.Agent.Spent()
	for _, err := range ready.Refused {
		s.LastErr = err.Error()
		n.c.Logger.Debug("another peer broke the protocol", "reason", err)
	}
	return n.c.Transport.Send(ctx, ready.Messages)
}

// Status returns what the node has done so far.
func (n *Node) Status(ctx context.Context) (node.Status, error) {
	q := make(chan node.Status, 1)
	select {
	case n.asks <- q:
		return <-q, nil
	case <-ctx.Done():
		return node.Status{}, ctx.Err()
	}
}

func (n *Node) snapshot() node.Status {
	s := n.status
	known := n.c.Agent.Summary()
	s.Pulls = make([]uint64, len(known.Estimates))
	copy(s.Pulls, n.status.Pulls)
	s.Means, s.Samples, s.Noise = known.Estimates, known.Samples, known.NoiseDevs
	insight := n.c.Agent.Insight()
	insight.See(n.c.Agent.Belief())
	s.Parameter, s.Support, s.Best = known.Parameter, n.c.Agent.Support(), insight.Best()
	s.Spent, s.Left = bounded(s.Spent), bounded(n.c.Agent.Left())
	return s
}

// bounded returns a part of a budget, -1 for one without an end, which JSON has no number for.
func bounded(epsilon float64) float64 {
	if epsilon < math.Inf(1) {
		return epsilon
	}
	return -1
}

// ended returns nil for an end that ctx asked for, and err for any other.
func (n *Node) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}
