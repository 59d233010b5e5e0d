package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/lockstep"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// record is what one peer did, as text.
type record struct {
	steps bytes.Buffer
	links map[protocol.Peer]*bytes.Buffer
}

func (r *record) trace() *lockstep.Trace {
	r.links = map[protocol.Peer]*bytes.Buffer{}
	return &lockstep.Trace{Steps: &r.steps, Links: func(to protocol.Peer) io.Writer {
		if r.links[to] == nil {
			r.links[to] = &bytes.Buffer{}
		}
		return r.links[to]
	}}
}

func (r *record) String() string {
	s := r.steps.String()
	for to := range protocol.Peer(100) {
		if b := r.links[to]; b != nil {
			s += fmt.Sprintf("to %d\n%s", to, b)
		}
	}
	return s
}

// bus carries encoded frames between nodes in one process.
type bus struct {
	self  protocol.Peer
	in    chan protocol.Delivery
	peers []*bus
	trace *lockstep.Trace
}

func (b *bus) Inbox() <-chan protocol.Delivery { return b.in }

func (b *bus) Send(ctx context.Context, es []protocol.Envelope) error {
	for _, e := range es {
		frame := protocol.Encode(nil, e.Message)
		if err := b.trace.Frame(e.To, frame); err != nil {
			return err
		}
		m, err := protocol.Decode(vouch.For(frame))
		if err != nil {
			return err
		}
		select {
		case b.peers[e.To].in <- protocol.Delivery{From: b.self, Message: m}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// simulated returns what every peer of a run does in the simulator.
func simulated(t *testing.T, c sim.Config) []*record {
	t.Helper()
	rs := make([]*record, c.Spec.Peers())
	c.Trace = func(p protocol.Peer) *lockstep.Trace {
		rs[p] = &record{}
		return rs[p].trace()
	}
	require.Value(sim.Run(c))(t)
	return rs
}

// live returns what every peer of a run does as a node of its own in lockstep.
func live(t *testing.T, c sim.Config) []*record {
	t.Helper()
	n := c.Spec.Peers()
	rs, buses := make([]*record, n), make([]*bus, n)
	for i := range n {
		rs[i] = &record{}
		buses[i] = &bus{self: protocol.Peer(i), in: make(chan protocol.Delivery, 1000), peers: buses, trace: rs[i].trace()}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var (
		wg    sync.WaitGroup
		nodes []*lockstep.Node
	)
	for i := range n {
		a := require.Value(c.Spec.Agent(node.PeerConfig{
			Self: protocol.Peer(i), Seed: c.Seeds[i], Noise: c.Seeds[i].Noise(),
			Keys: c.Keys[i], RoundEnds: true,
		}))(t)
		nd := lockstep.New(lockstep.Config{
			Agent: a, World: c.Worlds[i], Transport: buses[i], Neighbours: c.Spec.Graph[i],
			Rounds: c.Rounds, Trace: buses[i].trace, Logger: slog.New(slog.DiscardHandler),
		})
		nodes = append(nodes, nd)
		wg.Go(func() {
			if err := nd.Run(ctx); err != nil {
				t.Errorf("peer %d: %v", i, err)
			}
		})
	}
	for _, nd := range nodes {
		for {
			s := require.Value(nd.Status(ctx))(t)
			if s.Round == c.Rounds {
				break
			}
		}
	}
	cancel()
	wg.Wait()
	return rs
}

// rare is a world with a decision in some rounds, which differ by site.
type rare struct {
	bandit.World
	site uint64
}

func (w rare) Turn(round uint64) bandit.Turn {
	turn := w.World.Turn(round)
	turn.None = (round*7+w.site)%5 > 1
	return turn
}

// equal compares peers of a run in the simulator and in lockstep.
func equal(t *testing.T, build func() sim.Config) {
	t.Helper()
	want, got := simulated(t, build()), live(t, build())
	for i := range want {
		if want[i].String() != got[i].String() {
			t.Errorf("peer %d differs", i)
		}
	}
}

// TestNodesInLockstepEqualTheSimulator, with a decision in every round and in some of them,
// compares decisions, releases, estimates and every frame. A test of cmd/peerd does the same over
// TCP between processes.
func TestNodesInLockstepEqualTheSimulator(t *testing.T) {
	for _, e := range papers.All() {
		t.Run(e.Words().Name, func(t *testing.T) {
			build := func(changed bool) sim.Config {
				graph := ring(5)
				if _, ok := e.(shuffling.Params); ok { // whose shuffler is linked to all
					graph = protocoltest.Star(5)
				}
				c := config(7, graph, 300, []float64{.8, .5, .2}, []float64{.3, .9, .2})
				speak(&c, e)
				for i := range 5 {
					c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(i)))
				}
				if changed {
					c.Seeds[3] = node.PeerSeed(8, 3)
				}
				return c
			}
			for _, sparse := range []bool{false, true} {
				build := func() sim.Config {
					c := build(false)
					if sparse {
						for i := range c.Worlds {
							c.Worlds[i] = rare{c.Worlds[i], uint64(i)}
						}
					}
					return c
				}
				equal(t, build)
			}
			want := simulated(t, build(false))
			changed := simulated(t, build(true))
			for i := range want {
				if want[i].String() == changed[i].String() {
					t.Errorf("peer %d is the same with the seed of peer 3 changed", i)
				}
			}
		})
	}
}
