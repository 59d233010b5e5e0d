package protocoltest

import (
	"crypto/sha512"
	"fmt"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	_ "peerd.dev/dp/mechanism/running" // mechanisms of the networks
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// A Setting is what the peers of a network agree on.
type Setting struct {
	Params protocol.Params
	Graph  Graph
	Arms   int
	// Learner returns a learner of its own for every peer; nil for [Sums].
	Learner   func() bandit.Learner
	Rounds    uint64 // that the budget pays for
	Mechanism dp.Mechanism
	Adjacency dp.Adjacency
	Seed      uint64 // of everything random
	Topic     bool   // messages to everyone reach all
	Wrap      node.Wrapper
	Keys      func(self protocol.Peer) protocol.Keys // nil for [Keys]

	// Schedule replaces a peer's random numbers for schedules and secrets. Those are then
	// not in the state of a peer, which cannot restart.
	Schedule func(self protocol.Peer, incarnation uint32) *rand.Rand
	// Carry takes every message over the wire; nil for [Carry].
	Carry func(t testing.TB, m protocol.Message) protocol.Message
}

// A Peer is one of a network, with what its streams have released.
type Peer struct {
	*node.Agent
	Protocol protocol.Protocol // its half of the protocol

	Pulls    []uint64       // by arm
	Released []protocol.Own // in the order of closing; those that are over among them
}

// Leaves returns how many leaves have released something.
func (p *Peer) Leaves() (n int) {
	for _, o := range p.Released {
		if !o.Over {
			n++
		}
	}
	return n
}

// Over reports whether some stream has reached its horizon.
func (p *Peer) Over() bool { return p.Leaves() < len(p.Released) }

// Late returns how many leaves were released by streams that were over.
func (p *Peer) Late() (n int) {
	over := make(map[dp.StreamID]bool)
	for _, o := range p.Released {
		if over[o.Stream] && !o.Over {
			n++
		}
		over[o.Stream] = over[o.Stream] || o.Over
	}
	return n
}

// A tap writes down what a peer's streams release.
type tap struct {
	protocol.Protocol
	peer *Peer
}

func (t *tap) Released(own []protocol.Own, out *protocol.Outbox) error {
	for _, o := range own {
		if o.Leaf != nil { // nil past the horizon
			leaf := *o.Leaf // the agent uses its memory again
			o.Leaf = &leaf
		}
		t.peer.Released = append(t.peer.Released, o)
	}
	return t.Protocol.Released(own, out)
}

// Peer returns a new peer.
func (s *Setting) Peer(t testing.TB, self protocol.Peer, incarnation uint32) *Peer {
	t.Helper()
	p := &Peer{Pulls: make([]uint64, s.Arms)}
	speak := func(c protocol.Config) (_ protocol.Protocol, err error) {
		if s.Schedule != nil {
			c.Rand, c.Secret = s.Schedule(self, incarnation), s.Schedule(self, incarnation)
		}
		p.Protocol, err = protocol.New(s.Params, c)
		return &tap{p.Protocol, p}, err
	}
	keys := protocol.Keys(Keys(self))
	if s.Keys != nil {
		keys = s.Keys(self)
	}
	spec := node.Spec{
		Arms: s.Arms, Graph: s.Graph, Protocol: s.Params,
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: s.Mechanism, Adjacency: s.Adjacency,
			RecordsPerUser: 1, Horizon: s.Rounds,
		},
		Public: seedOf(s.Seed, protocol.Everyone, 0, "public"), Wrap: s.Wrap,
	}
	if s.Mechanism == dp.None {
		spec.Privacy.Budget = account.Unlimited
	}
	var err error
	p.Agent, err = spec.Assemble(node.PeerConfig{
		Self: self, Incarnation: incarnation, Keys: vouch.For(keys), Topic: s.Topic,
		Seed:  seedOf(s.Seed, self, incarnation, "seed"),
		Noise: dp.NewSeededSource(seedOf(s.Seed, self, incarnation, "noise")),
	}, speak, func(node.Coins) (bandit.Learner, error) {
		if s.Learner == nil {
			return Sums(s.Arms), nil
		}
		return s.Learner(), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Ready() // the charge; nothing of it is durable here
	return p
}

func seedOf(seed uint64, p protocol.Peer, incarnation uint32, use string) (s [32]byte) {
	h := sha512.Sum512(fmt.Appendf(nil, "%d %d %d %s", seed, p, incarnation, use))
	copy(s[:], h[:])
	return s
}
