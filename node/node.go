package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// A Ledger keeps the privacy account.
type Ledger interface {
	// Append returns once the charges would survive a crash.
	Append(cs ...dp.Charge) error
}

// Slots is the clock of a network: round t is the slot from Start + t·Every to
// the next.
type Slots struct {
	Start time.Time
	Every time.Duration
}

// Config describes a Node.
type Config struct {
	Agent      *Agent
	World      World
	Transport  Transport
	Ledger     Ledger
	Neighbours []protocol.Peer
	Rounds     uint64 // to play
	Slots      *Slots // nil in lockstep: a round begins when all messages of the last one are in
	Trace      *Trace // nil for none
	Logger     *slog.Logger
}

// A Node drives an [Agent] in real time. One goroutine, that of Run, owns the
// agent; everyone else asks it.
type Node struct {
	c      Config
	asks   chan chan Status
	status Status
	paid   bool                  // the horizon is charged
	heard  map[protocol.Peer]int // messages in this slot, by sender
}

// maxHeard is how many messages of one sender a node takes in in a slot. A slot can
// last a day, and what is taken in waits in memory for its end.
const maxHeard = 1024

// Status is what a node tells its operator. Everything in it is public.
type Status struct {
	Round    uint64    `json:"round"`  // rounds played
	Rounds   uint64    `json:"rounds"` // to play
	Pulls    []uint64  `json:"pulls"`  // by arm
	Means    []float64 `json:"means"`  // estimates, by arm
	Spent    float64   `json:"epsilon_spent"`
	Left     float64   `json:"epsilon_left"`
	Released uint64    `json:"released"`   // releases drawn
	Refused  uint64    `json:"refused"`    // messages that were a peer's fault
	Skipped  uint64    `json:"skipped"`    // slots that passed while the node was busy
	Flooded  uint64    `json:"flooded"`    // messages dropped because their sender sent too many in a slot
	LastErr  string    `json:"last_fault"` // of a peer
}

// New returns a node that has not begun.
func New(c Config) *Node {
	return &Node{
		c: c, asks: make(chan chan Status), heard: make(map[protocol.Peer]int),
		status: Status{Rounds: c.Rounds},
	}
}

// Run plays the rounds, then goes on listening and answering until ctx is done,
// which is a nil error.
func (n *Node) Run(ctx context.Context) error {
	gather := n.gatherSlot
	if n.c.Slots == nil {
		l := newLockstep(n.c.Neighbours)
		gather = func(ctx context.Context, t protocol.Round) (protocol.Round, []protocol.Delivery, error) {
			in, err := n.gatherLockstep(ctx, l, t)
			return t, in, err
		}
	}
	for t := protocol.Round(0); uint64(t) < n.c.Rounds; t++ {
		now, in, err := gather(ctx, t)
		if err != nil {
			return n.ended(ctx, err)
		}
		n.status.Skipped += uint64(now - t)
		if t = now; uint64(t) >= n.c.Rounds {
			break
		}
		if !n.paid {
			// The horizon is charged before anything is drawn, but not by a node
			// that never plays.
			n.paid = true
			if err := n.settle(ctx, n.c.Agent.Ready()); err != nil {
				return n.ended(ctx, err)
			}
		}
		if err := n.play(ctx, t, in); err != nil {
			return n.ended(ctx, fmt.Errorf("round %d: %w", t, err))
		}
	}
	n.status.Round = n.c.Rounds
	if n.c.Slots == nil || !n.paid {
		return n.linger(ctx)
	}
	return n.listen(ctx, protocol.Round(n.c.Rounds))
}

// listen goes on from round t without pulling: the node hears what others learn
// and tells what it knows, until ctx is done.
func (n *Node) listen(ctx context.Context, t protocol.Round) error {
	for ; ; t++ {
		now, in, err := n.gatherSlot(ctx, t)
		if err != nil {
			return n.ended(ctx, err)
		}
		t = now
		protocol.Sort(in)
		if err = n.c.Agent.Listen(t, in); err != nil {
			return n.ended(ctx, fmt.Errorf("round %d: %w", t, err))
		}
		ready := n.c.Agent.Ready()
		n.note(ready)
		if err = n.settle(ctx, ready); err != nil {
			return n.ended(ctx, err)
		}
	}
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
	n.status.Round = uint64(t) + 1
	n.note(ready)
	return n.settle(ctx, ready)
}

// settle pays first and sends second.
func (n *Node) settle(ctx context.Context, r Ready) error {
	if len(r.Charges) > 0 {
		if err := n.c.Ledger.Append(r.Charges...); err != nil {
			return fmt.Errorf("ledger: %w", err) // nothing may leave unpaid
		}
		for _, c := range r.Charges {
			n.status.Spent += c.Cost.Float()
		}
		n.status.Left = n.c.Agent.Left().Float()
	}
	return n.c.Transport.Send(ctx, r.Messages)
}

func (n *Node) note(r Ready) {
	s := &n.status
	s.Released += uint64(len(r.Drawn))
	s.Refused += uint64(len(r.Refused))
	for _, err := range r.Refused {
		s.LastErr = err.Error()
		n.c.Logger.Debug("message refused", "err", err)
	}
}

// gatherSlot waits for round t's slot to begin and returns what arrived until then.
// If slots have passed meanwhile, the round is the current one: at most one a slot.
func (n *Node) gatherSlot(ctx context.Context, t protocol.Round) (protocol.Round, []protocol.Delivery, error) {
	begin := n.c.Slots.Start.Add(time.Duration(t) * n.c.Slots.Every)
	timer := time.NewTimer(time.Until(begin))
	defer timer.Stop()
	var in []protocol.Delivery
	clear(n.heard)
	for {
		select {
		case <-ctx.Done():
			return t, nil, ctx.Err()
		case q := <-n.asks:
			q <- n.snapshot()
		case d := <-n.c.Transport.Inbox():
			if n.heard[d.From]++; n.heard[d.From] > maxHeard {
				n.status.Flooded++
				continue
			}
			in = append(in, d)
		case <-timer.C:
			late := time.Since(begin) / n.c.Slots.Every
			return t + protocol.Round(max(0, late)), in, nil
		}
	}
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
	s.Means = append([]float64(nil), b.Mean...)
	return s
}

// ended tells an end that was asked for from one that was not.
func (n *Node) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}
