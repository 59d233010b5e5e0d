package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp"
)

// The laws that every protocol keeps. They are run over the Table, so that a new
// protocol is held to them by being listed, and over the fakes, whose types are
// to be shown and not their manners; only the law of the horizon is not asked of
// them.

// conforming returns a small network for a protocol.
func conforming(name string, seed uint64) setting {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := setting{
		protocol: name, graph: randomGraph(5, 3, rng), arms: 2, rounds: 64, mechanism: dp.Tree, seed: seed,
		params: Params{
			Average: AverageParams{Consistency: []Consistency{Max, Robust, Budget}[seed%3], F: 1, Rate: .4, Patience: 4},
			Rows:    RowsParams{Every: 2, Pull: 3, Merge: []Merge{MergeMean, MergeTrimmed}[seed%2], F: 1},
		},
		fake: fakeParams{Gamma: 2, Explore: 2, Epochs: 4, Every: 2, Analyst: 1},
	}
	switch name {
	case "batch", "shuffle":
		s.graph = star(5)
	case "sink":
		s.fake.Hub = 4
		s.graph = graphOf(6, func(link func(a, b int)) {
			for _, l := range [][2]int{{0, 1}, {1, 2}, {1, 4}, {3, 4}, {3, 5}} {
				link(l[0], l[1])
			}
		})
	}
	return s
}

// everyProtocol runs f for each.
func everyProtocol(t *testing.T, f func(t *testing.T, name string)) {
	t.Helper()
	for _, sp := range spokenProtocols() {
		t.Run(sp.name, func(t *testing.T) { f(t, sp.name) })
	}
}

// A transcript is all that a run says and believes, in bytes.
type transcript []byte

func (tr *transcript) note(n *network) {
	for _, p := range n.underway {
		*tr = binary.BigEndian.AppendUint32(*tr, uint32(p.From))
		*tr = binary.BigEndian.AppendUint32(*tr, uint32(p.to))
		*tr = Encode(*tr, p.Message)
	}
	for _, p := range n.peers {
		*tr = append(*tr, beliefOf(p)...)
	}
}

func beliefOf(p *player) string { return fmt.Sprintf("%v", *p.Belief()) }

// A mishap is what the network does to messages: it loses a share of them,
// repeats a share, and makes a share up to three rounds late.
type mishap struct {
	rng                *rand.Rand
	lose, repeat, late float64
	slow               [4][]parcel
}

// befall changes what is under way.
func (h *mishap) befall(n *network) {
	under := slices.Clone(n.underway)
	n.underway = append(n.underway[:0], h.slow[0]...)
	copy(h.slow[:], h.slow[1:])
	h.slow[len(h.slow)-1] = nil
	for _, p := range under {
		if h.rng.Float64() < h.lose {
			continue
		}
		copies := 1
		if h.rng.Float64() < h.repeat {
			copies = 2
		}
		for range copies {
			if h.rng.Float64() < h.late {
				k := h.rng.IntN(3)
				h.slow[k] = append(h.slow[k], p)
			} else {
				n.underway = append(n.underway, p)
			}
		}
	}
}

// pulls returns everybody's choices and rewards in a run, all from one seed.
func pulls(n *network, seed uint64) func(i int) (int, float64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	return func(i int) (int, float64) {
		if b := n.peers[i].Belief().Behind; len(b) > 0 {
			return b[rng.IntN(len(b))], rng.Float64()
		}
		return rng.IntN(n.arms), rng.Float64()
	}
}

func TestSameSeedSameRun(t *testing.T) {
	everyProtocol(t, func(t *testing.T, name string) {
		run := func(seed uint64) (tr transcript) {
			n := newNetwork(t, conforming(name, seed))
			h := mishap{rng: rand.New(rand.NewPCG(seed, 3)), lose: .1, repeat: .1, late: .2}
			pull := pulls(n, seed)
			for range 40 {
				n.play(t, pull)
				tr.note(n)
				h.befall(n)
			}
			return tr
		}
		if !bytes.Equal(run(7), run(7)) {
			t.Error("two runs of one seed differ")
		}
		if bytes.Equal(run(7), run(8)) {
			t.Error("two seeds give one run: the comparison above compares nothing")
		}
	})
}

// TestFaultsAreNobodysFault: what an honest peer sent may come late, twice or
// never. Nobody panics, nobody calls it an error, and no error is a peer's own.
// That every message survives the codec is checked wherever one is sent.
func TestFaultsAreNobodysFault(t *testing.T) {
	everyProtocol(t, func(t *testing.T, name string) {
		for seed := range uint64(20) {
			n := newNetwork(t, conforming(name, seed))
			h := mishap{rng: rand.New(rand.NewPCG(seed, 3)), lose: .3 * float64(seed%2), repeat: .3, late: .4}
			pull := pulls(n, seed)
			for range 60 {
				n.play(t, pull) // fails on any error
				h.befall(n)
			}
		}
	})
}

// TestSilentOnceTheHorizonIsSpent: a peer whose budget paid for 8 rounds releases
// nothing of its own after them, and goes on listening.
func TestSilentOnceTheHorizonIsSpent(t *testing.T) {
	for _, e := range Table() {
		t.Run(e.Name, func(t *testing.T) {
			s := conforming(e.Name, 2)
			s.graph, s.rounds, s.mechanism = complete(4), 200, dp.None
			n := newNetwork(t, s)
			s.rounds = 8
			n.peers[0] = newPlayer(t, s, 0, 0)
			reward := 0.
			pull := func(i int) (int, float64) { return (int(n.round) + i) % s.arms, reward }
			for range 40 {
				n.play(t, pull)
			}
			p := n.peers[0]
			leafs, before := p.draw.leafs, beliefOf(p)
			if most := uint64(s.arms) * e.Leaves(s.params, s.rounds); !p.draw.spent || leafs > most {
				t.Errorf("%d leaves were drawn in 40 rounds, horizon reached: %v; want it reached at %d or before", leafs, p.draw.spent, most)
			}
			var newest uint64 // own label on a signed message
			reward = 1
			for range 40 {
				n.play(t, pull)
				for _, d := range n.underway {
					if d.Message.label.Origin == 0 && len(d.Message.sig) > 0 {
						newest = max(newest, d.Message.label.Seq)
					}
				}
			}
			if p.draw.leafs != leafs || p.draw.late != 0 {
				t.Errorf("%d leaves were drawn after the horizon", p.draw.leafs-leafs)
			}
			if newest > e.Leaves(s.params, s.rounds) {
				t.Errorf("signed number %d of a stream that was paid up to %d", newest, e.Leaves(s.params, s.rounds))
			}
			if beliefOf(p) == before {
				t.Error("what the others released changed nothing: the peer is deaf, too")
			}
		})
	}
}

// TestGarbageChangesNothing feeds one of two twin networks what a hostile peer can
// send. What is refused leaves no trace: belief and all later messages are the
// twin's. What is not refused is given to the twin too.
func TestGarbageChangesNothing(t *testing.T) {
	everyProtocol(t, func(t *testing.T, name string) {
		refused, taken := 0, 0
		rapid.Check(t, func(r *rapid.T) {
			seed := rapid.Uint64Range(0, 1000).Draw(r, "seed")
			a, b := newNetwork(t, conforming(name, seed)), newNetwork(t, conforming(name, seed))
			a.hostile, b.hostile = true, true
			playA, playB := pulls(a, seed), pulls(b, seed)
			var heard []parcel
			for range rapid.IntRange(4, 12).Draw(r, "rounds") {
				a.play(t, playA)
				b.play(t, playB)
				compare(r, a, b)
				heard = append(heard, a.underway...)
				for range rapid.IntRange(0, min(4, len(heard))).Draw(r, "injections") {
					p := rare(r, heard)
					m, err := Decode(Encode(nil, garbled(r, p.Message)))
					if err != nil {
						continue // the codec keeps it out
					}
					if rapid.IntRange(0, 9).Draw(r, "from a stranger") == 0 {
						p.From = Peer(anyUint().Draw(r, "from"))
					}
					i := int(p.to)
					es, err := a.deliver(t, i, Delivery{p.From, m})
					if err != nil {
						refused++
						if !errors.Is(err, ErrPeer) || len(es) > 0 {
							r.Fatalf("%v: %v, and %d messages", tell(m), err, len(es))
						}
						if beliefOf(a.peers[i]) != beliefOf(b.peers[i]) {
							r.Fatalf("%v: refused, but changed what peer %d believes", tell(m), i)
						}
						continue
					}
					taken++
					if _, err := b.deliver(t, i, Delivery{p.From, m}); err != nil {
						r.Fatalf("%v: taken by one twin and refused by the other: %v", tell(m), err)
					}
				}
				// What strangers were answered goes nowhere.
				a.underway = slices.DeleteFunc(a.underway, func(p parcel) bool { return int(p.to) >= len(a.peers) })
				b.underway = slices.DeleteFunc(b.underway, func(p parcel) bool { return int(p.to) >= len(b.peers) })
				compare(r, a, b)
			}
		})
		t.Logf("%d refused, %d taken", refused, taken)
		if refused == 0 || taken == 0 {
			t.Errorf("%d messages were refused and %d taken: the garbage is too bad or too good", refused, taken)
		}
	})
}

// rare draws one of the last things heard, of a kind first: answers are few among
// the counts, and it matters what they say while the question is open.
func rare(r *rapid.T, heard []parcel) parcel {
	heard = heard[max(0, len(heard)-rapid.SampledFrom([]int{20, 1000}).Draw(r, "how far back")):]
	var kinds []Kind
	for _, p := range heard {
		if !slices.Contains(kinds, p.Message.kind) {
			kinds = append(kinds, p.Message.kind)
		}
	}
	k := rapid.SampledFrom(kinds).Draw(r, "kind of model")
	heard = slices.DeleteFunc(slices.Clone(heard), func(p parcel) bool { return p.Message.kind != k })
	return heard[rapid.IntRange(0, len(heard)-1).Draw(r, "model")]
}

func compare(r *rapid.T, a, b *network) {
	var x, y transcript
	x.note(a)
	y.note(b)
	if !bytes.Equal(x, y) {
		r.Fatal("what was refused before has left a trace")
	}
}
