package sim_test

import (
	"bytes"
	"slices"
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// kept is a message and its content when it was sent.
type kept struct {
	m    protocol.Message
	said []byte
}

func (k kept) changed() bool { return !bytes.Equal(protocol.Encode(nil, k.m), k.said) }

// played returns the messages of a run, by round, and calls after at the end of every round.
func played(t *testing.T, c sim.Config, reuse bool, after func(sent [][]kept)) [][]kept {
	t.Helper()
	n := c.Spec.Peers()
	agents := make([]*node.Agent, n)
	for i := range agents {
		p := node.PeerConfig{Self: protocol.Peer(i), Seed: c.Seeds[i], Noise: c.Seeds[i].Noise(), Keys: vouch.For[protocol.Keys](protocoltest.Keys(i)), Reuse: reuse}
		var err error
		if agents[i], err = c.Spec.Agent(p); err != nil {
			t.Fatal(err)
		}
	}
	network := require.Value(sim.NewNetwork(n, c.Faults, c.Network.Rand("network")))(t)
	var sent [][]kept
	for r := range protocol.Round(c.Rounds) {
		sent = append(sent, nil)
		for i, a := range agents {
			require.Value(a.Round(r, network.Take(i), c.Worlds[i]))(t)
			for _, e := range a.Ready().Messages {
				sent[r] = append(sent[r], kept{e.Message, protocol.Encode(nil, e.Message)})
				network.Post(r, i, int(e.To), &e.Message)
			}
		}
		network.Turn()
		after(sent)
	}
	return sent
}

// TestContentsAreUsedAgainAfterARound: if the driver allows reuse of contents, they do not change
// until the end of the round after the one in which they were sent; otherwise, never.
func TestContentsAreUsedAgainAfterARound(t *testing.T) {
	for _, e := range papers.All() {
		t.Run(e.Words().Name, func(t *testing.T) {
			play := func(reuse bool, after func([][]kept)) [][]kept {
				c := config(7, ring(5), 200, []float64{.8, .5, .2}, []float64{.3, .9, .2})
				speak(&c, e)
				return played(t, c, reuse, after)
			}
			count := func(rounds [][]kept) (changed int) {
				for _, sent := range rounds {
					for _, k := range sent {
						if k.changed() {
							changed++
						}
					}
				}
				return changed
			}
			sent := play(true, func(sent [][]kept) {
				if n := count(sent[max(0, len(sent)-2):]); n > 0 {
					t.Fatalf("%d messages of rounds %d and %d have changed in round %d", n, len(sent)-2, len(sent)-1, len(sent)-1)
				}
			})
			if isAveraging(e) && count(sent) == 0 {
				t.Error("no message has changed after its time: this test sees nothing")
			}
			if n := count(play(false, func([][]kept) {})); n > 0 {
				t.Errorf("%d messages have changed, and the driver did not allow it", n)
			}
		})
	}
}

// TestPeersKeepCopies: a peer's copy of a message that is lost the next time does not depend on
// whether contents are reused.
func TestPeersKeepCopies(t *testing.T) {
	for _, rule := range []averaging.Consistency{averaging.Max, averaging.Robust, averaging.Capped} {
		t.Run(string(rule), func(t *testing.T) {
			play := func(reuse bool) [][]kept {
				links := make([][]protocol.Peer, 5)
				for i := range links {
					for j := range links {
						if i != j {
							links[i] = append(links[i], protocol.Peer(j))
						}
					}
				}
				c := config(7, links, 300, []float64{.8, .5, .2}, []float64{.3, .9, .2})
				c.Faults.Loss = .5
				ruled(&c, rule)
				return played(t, c, reuse, func([][]kept) {})
			}
			again, once := play(true), play(false)
			for r := range once {
				same := slices.EqualFunc(again[r], once[r], func(a, b kept) bool { return bytes.Equal(a.said, b.said) })
				if !same {
					t.Fatalf("round %d differs", r)
				}
			}
		})
	}
}

// isAveraging reports whether parameters are for the protocol that sends counts.
func isAveraging(params protocol.Params) bool {
	_, ok := params.(averaging.AverageParams)
	return ok
}
