package protocol

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"peerd.dev/dp"
)

// TestMassIsConserved plays random histories of pulls, ticks, loss, duplication,
// reordering, delay, absence and restarts on random graphs, with noise on and every
// peer's clock its own: some run ahead, and some jump. At every step and for every arm Σθ = ΣX + Σδ under way, as integers; after
// the network has healed and the open questions were asked again, Σθ = ΣX.
func TestMassIsConserved(t *testing.T) {
	histories := uint64(1000)
	if testing.Short() {
		histories = 100
	}
	var overlaps, busy, copies, absences, restarts uint64
	for seed := range histories {
		h := newHistory(t, seed, nil)
		if err := h.play(); err != nil {
			t.Fatalf("history %d: %v", seed, err)
		}
		if err := h.heal(); err != nil {
			t.Fatalf("history %d, healing: %v", seed, err)
		}
		overlaps, busy, copies = overlaps+h.overlaps, busy+h.busy, copies+h.copies
		absences, restarts = absences+h.absences, restarts+h.restarts
	}
	// Histories that try nothing prove nothing.
	if overlaps < histories/2 || busy < histories/2 || copies < histories {
		t.Errorf("%d exchanges overlapped, %d were declined and %d messages repeated in %d histories: that is not much of a trial",
			overlaps, busy, copies, histories)
	}
	if absences < histories || restarts < histories {
		t.Errorf("peers were away %d times and restarted %d times in %d histories: that is not much of a trial", absences, restarts, histories)
	}
}

// TestMassTestCatchesMutants breaks the protocol's rules one at a time, in the
// state of the peer that a message is about to reach. The histories above must
// notice each.
func TestMassTestCatchesMutants(t *testing.T) {
	mutants := map[string]func(a *average, l *averageLink, m Message){
		"a busy answer is not final": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageAsk && m.label == l.last && l.answer == averageBusy {
				l.answer = 0
			}
		},
		"a repeated question is averaged again": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageAsk && m.label == l.last && l.answer == averageDelta {
				l.answer = 0
			}
		},
		"an overtaken question is averaged after a later one": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageAsk && l.answer != 0 && newer(l.last, m.label) {
				l.answer = 0
			}
		},
		"a repeated answer is subtracted again": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageDelta && len(m.refs) == 1 && m.refs[0].Seq == l.seq {
				l.open = true
			}
		},
		"an answer to an older question is taken for the open one's": func(_ *average, l *averageLink, m Message) {
			if m.kind == averageDelta && len(m.refs) == 1 && l.open {
				m.refs[0].Seq = l.seq // the slice is the message's own
			}
		},
		"an answer is given up with patience": func(a *average, l *averageLink, _ Message) {
			if a.asked < 0 {
				l.open = false
			}
		},
	}
	for name, mutate := range mutants {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(1000) {
				h := newHistory(t, seed, mutate)
				err := h.play()
				if err == nil {
					err = h.heal()
				}
				if err != nil {
					t.Logf("caught in history %d: %v", seed, err)
					return
				}
			}
			t.Error("1000 histories noticed nothing")
		})
	}
}

// A history is a random run of protocol average. Time is every peer's own and the
// network does as it likes with messages.
type history struct {
	t      *testing.T
	rng    *rand.Rand
	n      *network
	peers  []*average
	rounds []Round // of each peer
	away   []bool  // peers who neither hear nor do anything, and keep their memory
	mutate func(a *average, l *averageLink, m Message)

	overlaps, busy, copies, absences, restarts uint64
}

func newHistory(t *testing.T, seed uint64, mutate func(a *average, l *averageLink, m Message)) *history {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := 3 + rng.IntN(6)
	h := &history{t: t, rng: rng, rounds: make([]Round, n), away: make([]bool, n), mutate: mutate}
	h.n = newNetwork(t, setting{
		protocol: "average", graph: randomGraph(n, rng.IntN(n), rng), arms: 1 + rng.IntN(3),
		rounds: 200, mechanism: dp.Tree, seed: seed,
		params: Params{Average: AverageParams{
			Consistency: []Consistency{Max, Robust, Budget}[rng.IntN(3)], F: 1,
			Rate: .2 + .3*rng.Float64(), Patience: 2 + rng.Uint64N(4),
		}},
	})
	for _, p := range h.n.peers {
		h.peers = append(h.peers, p.Protocol.(*average))
	}
	return h
}

// play takes 50 to 200 random steps.
func (h *history) play() error {
	for step := range 50 + h.rng.IntN(150) {
		i := h.rng.IntN(len(h.peers))
		under := h.n.underway
		switch x := h.rng.IntN(20); {
		case x == 0:
			h.away[i] = !h.away[i]
			h.absences++
		case x < 10 && h.away[i]:
		case x == 1:
			h.restart(i)
		case x < 5:
			h.n.pull(h.t, i, h.rng.IntN(h.n.arms), h.rng.Float64())
		case x < 10:
			h.tick(i)
		case len(under) == 0:
		case x < 16:
			h.deliver(h.rng.IntN(len(under))) // any of them: reordered, and delayed without bound
		case x < 18:
			h.lose(h.rng.IntN(len(under)))
		default:
			h.n.underway = append(under, under[h.rng.IntN(len(under))])
			h.copies++
		}
		if err := h.check(); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
	return nil
}

// restart gives peer i's state to a new incarnation of the program: all that it knows
// has gone to the disk and come back.
func (h *history) restart(i int) {
	h.t.Helper()
	p := h.n.peers[i]
	state, err := p.Save()
	if err != nil {
		h.t.Fatal(err)
	}
	next, err := newAverage(h.peers[i].c, h.peers[i].p)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := next.Load(state); err != nil {
		h.t.Fatal(err)
	}
	p.Protocol, h.peers[i] = next, next
	h.restarts++
}

// heal brings everybody back, loses nothing any more and plays rounds until no
// question is open.
func (h *history) heal() error {
	clear(h.away)
	open := func() bool {
		for _, a := range h.peers {
			for _, l := range a.links {
				if l.open {
					return true
				}
			}
		}
		return false
	}
	for range 500 {
		for len(h.n.underway) > 0 {
			h.deliver(0)
			if err := h.check(); err != nil {
				return err
			}
		}
		if !open() {
			for k := range h.n.arms {
				if d := drift(h.peers, k); d != 0 || underWay(h.peers, k) != 0 {
					return fmt.Errorf("arm %d: Σθ - ΣX is %d after healing", k, d)
				}
			}
			return nil
		}
		for i := range h.peers {
			h.tick(i)
		}
	}
	return fmt.Errorf("questions are still open after 500 rounds without loss")
}

func (h *history) tick(i int) {
	if h.rng.IntN(10) == 0 { // a busy daemon goes on with the slot of now
		h.rounds[i] += Round(h.rng.IntN(20))
	}
	h.n.round = h.rounds[i]
	h.rounds[i]++
	h.n.tick(h.t, i)
	open := 0
	for _, l := range h.peers[i].links {
		if l.open {
			open++
		}
	}
	if open > 1 { // patience is over for the others: their answers come late or never
		h.overlaps++
	}
}

func (h *history) lose(k int) {
	h.n.underway = append(h.n.underway[:k], h.n.underway[k+1:]...)
}

func (h *history) deliver(k int) {
	p := h.n.underway[k]
	h.lose(k)
	if h.away[p.to] {
		return
	}
	if p.Message.kind == averageBusy {
		h.busy++
	}
	if h.mutate != nil {
		p.Message.refs = append([]Label(nil), p.Message.refs...)
		a := h.peers[p.to]
		h.mutate(a, &a.links[a.link(p.From)], p.Message)
	}
	if _, err := h.n.deliver(h.t, int(p.to), p.Delivery); err != nil {
		h.t.Fatalf("peer %d refuses an honest message: %v", p.to, err)
	}
}

func (h *history) check() error {
	for k := range h.n.arms {
		if d, way := drift(h.peers, k), underWay(h.peers, k); d != way {
			return fmt.Errorf("arm %d: Σθ - ΣX is %d, but %d is under way", k, d, way)
		}
	}
	return nil
}

// drift returns Σθ - ΣX of arm k.
func drift(peers []*average, k int) (d int64) {
	for _, a := range peers {
		d += a.mixed.Value(k) - a.mixed.Own(k)
	}
	return d
}

// underWay returns the sum over links of what the asked end added for a question
// that the asking end still has open.
func underWay(peers []*average, k int) (d int64) {
	for i, a := range peers {
		for _, l := range a.links {
			if !l.open {
				continue
			}
			b := peers[l.peer]
			back := &b.links[b.link(Peer(i))]
			if back.answer == averageDelta && back.last == (Label{Origin: Peer(i), Incarnation: a.c.Incarnation, Seq: l.seq}) {
				d += back.delta.Value(k)
			}
		}
	}
	return d
}
