package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/protocol"
)

// Clock is the clock of a network: round t lasts from Start + t·Every to the beginning
// of the next.
type Clock struct {
	Start time.Time
	Every time.Duration
}

// Config describes a Node.
type Config struct {
	Agent      *Agent
	World      bandit.World // nil for an idle agent
	Transport  Transport
	Neighbours []protocol.Peer
	Rounds     uint64 // to play
	Trace      *Trace // nil for none
	Logger     *slog.Logger
}

// A Node drives an [Agent] in lockstep: a round begins when all messages of the last
// one are in. It guards nobody, so it keeps nothing. One goroutine, that of Run,
// owns the agent; everyone else asks it.
type Node struct {
	c      Config
	asks   chan chan Status
	status Status
}

// Status is what a peer tells its operator. Everything in it is public.
type Status struct {
	Round    uint64    // rounds played
	Rounds   uint64    // to play
	Pulls    []uint64  // by arm
	Means    []float64 // estimates, by arm
	Samples  []float64 // rewards that the estimates rest on, by arm
	Noise    []float64 // standard deviation of the noise in the estimates, by arm
	Spent    float64   // ε
	Left     float64   // ε
	Released uint64    // releases drawn
	Refused  uint64    // messages that were a peer's fault
	Skipped  uint64    // slots that passed without the peer: busy, down or held back
	Flooded  uint64    // messages dropped because their sender sent too many in a slot
	LastErr  string    // the newest fault of a peer
	Pending  uint64    // decisions whose reward is waited for
	Records  uint64    // of the ledger
	Full     bool      // the disk is
	Regret   float64   // of the simulated world, over all rounds; 0 with an application

	BlockedReason string // why nothing is released; empty if it is
}

// New returns a node that has not begun.
func New(c Config) *Node {
	return &Node{c: c, asks: make(chan chan Status), status: Status{Rounds: c.Rounds}}
}

// Run plays the rounds, then goes on answering until ctx is done, which is a nil
// error.
func (n *Node) Run(ctx context.Context) error {
	l := newLockstep(n.c.Neighbours)
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
	arm, err := n.c.Agent.Round(t, in, n.c.World)
	if err != nil {
		return err
	}
	ready := n.c.Agent.Ready()
	if n.c.Trace != nil {
		if err := n.c.Trace.Step(t, int(arm), n.c.Agent.Belief(), ready.Drawn); err != nil {
			return err
		}
	}
	s := &n.status
	if arm != bandit.NoArm {
		s.Regret += n.c.World.Regret(arm)
	}
	s.Round = uint64(t) + 1
	s.Released += uint64(len(ready.Drawn))
	s.Refused += uint64(len(ready.Refused))
	s.Spent = n.c.Agent.Spent()
	for _, err := range ready.Refused {
		s.LastErr = err.Error()
		n.c.Logger.Debug("message refused", "err", err)
	}
	return n.c.Transport.Send(ctx, ready.Messages)
}

// Status returns what the node has done so far.
func (n *Node) Status(ctx context.Context) (Status, error) {
	q := make(chan Status, 1)
	select {
	case n.asks <- q:
		return <-q, nil
	case <-ctx.Done():
		return Status{}, ctx.Err()
	}
}

func (n *Node) snapshot() Status {
	s := n.status
	b := n.c.Agent.Belief()
	s.Pulls = append([]uint64(nil), b.Pulls...)
	s.Means = append([]float64(nil), b.X...)
	s.Samples, s.Noise = Certainty(b)
	s.Left = n.c.Agent.Left()
	return s
}

// Certainty returns on how many rewards each estimate of a belief rests, and the
// standard deviation of the noise in it.
func Certainty(b *bandit.Belief) (samples, noise []float64) {
	for k, v := range b.SampleVar {
		samples = append(samples, 1/v) // 0 for +Inf
		noise = append(noise, b.NoiseDev(k))
	}
	return samples, noise
}

// ended tells an end that was asked for from one that was not.
func (n *Node) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}
