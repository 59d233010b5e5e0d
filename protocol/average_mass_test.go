package protocol

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
)

// TestMassIsConserved plays random histories of pulls, ticks, loss, duplication,
// reordering, delay, absence and restarts on random graphs, with noise on and every
// peer's clock its own: some run ahead, and some jump. Some peers have many pulls before
// the others begin, and some lose all they knew and begin anew. At every step and for
// every arm Σv = ΣX + Σδ under way over the peers that have entered it, and as much for
// weights, as integers; after the network has healed and the open questions were asked
// again, Σv = ΣX and Σw is their number. What a lost life had mixed is gone.
func TestMassIsConserved(t *testing.T) {
	histories := uint64(1000)
	if testing.Short() {
		histories = 100
	}
	var sum trials
	for seed := range histories {
		h := newHistory(t, seed)
		if err := h.play(); err != nil {
			t.Fatalf("history %d: %v", seed, err)
		}
		if err := h.heal(); err != nil {
			t.Fatalf("history %d, healing: %v", seed, err)
		}
		sum.overlaps += h.overlaps
		sum.busy += h.busy
		sum.copies += h.copies
		sum.absences += h.absences
		sum.restarts += h.restarts
		sum.losses += h.losses
		sum.outside += h.outside
		sum.entries += h.entries
	}
	// Histories that try nothing prove nothing.
	t.Logf("in %d histories %+v", histories, sum)
	if sum.overlaps < histories/2 || sum.busy < histories/2 || sum.copies < histories || sum.absences < histories ||
		sum.restarts < histories || sum.losses < histories || sum.outside < histories/3 || sum.entries < histories/5 {
		t.Error("that is not much of a trial")
	}
}

// trials counts what happened in histories.
type trials struct {
	overlaps, busy, copies, absences, restarts uint64
	losses                                     uint64 // lives that were lost
	outside                                    uint64 // arms in exchanges of peers that had pulled, but not entered them
	entries                                    uint64 // arms that were entered in an exchange
}

// TestMassTestCatchesMutants breaks the protocol's rules one at a time, in a message, in
// the state of the peer that it is about to reach (l is nil in a restart) or of one that
// restarts. The histories above must notice each.
func TestMassTestCatchesMutants(t *testing.T) {
	mutants := map[string]mutant{
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
				m.refs[0].Seq = l.seq // the message is a copy
			}
		},
		"an answer is given up with patience": func(a *average, l *averageLink, _ Message) {
			if l != nil && a.asked < 0 {
				l.open = false
			}
		},
		"weights are added and not subtracted": func(_ *average, _ *averageLink, m Message) {
			if m.kind == averageDelta && m.body[0].Len() > m.body[1].Counts() {
				f := m.body[0].Fields()
				f.Value = f.Value[:m.body[1].Counts()]
				m.body[0], _ = dp.Received(f) // the message is a copy
			}
		},
		"a restart forgets which arms were entered": func(a *average, l *averageLink, _ Message) {
			if l == nil {
				was := a.mixed.Release()
				a.mixed, a.out = dp.NewWeighted(a.c.Arms, a.c.Peers), a.c.Arms
				_ = a.mixed.Add(was)
			}
		},
	}
	for name, mutate := range mutants {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(1000) {
				h := newHistory(t, seed)
				h.mutate = mutate
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
	base   []int64 // by coordinate: Σ of mixed - entered - under way, which lost lives have left behind
	mutate mutant
	trials
}

// A mutant breaks a rule.
type mutant func(a *average, l *averageLink, m Message)

func newHistory(t *testing.T, seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := 3 + rng.IntN(6)
	h := &history{t: t, rng: rng, rounds: make([]Round, n), away: make([]bool, n)}
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
	h.base = make([]int64, 2*h.n.arms)
	for i := range h.peers { // some are far ahead of the others
		if rng.IntN(3) == 0 {
			for range 10 * h.n.arms {
				h.n.pull(t, i, rng.IntN(h.n.arms), rng.Float64())
			}
		}
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
		case x == 1 && h.rng.IntN(3) == 0:
			h.forget(i)
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
	if h.mutate != nil {
		h.mutate(next, nil, noMessage())
	}
	p.Protocol, h.peers[i] = next, next
	h.restarts++
}

// forget takes all that peer i knows away, and what is under way on its links: it begins
// anew, in a new incarnation. The sums are what they are then.
func (h *history) forget(i int) {
	h.t.Helper()
	h.n.peers[i] = newPlayer(h.t, h.n.setting, Peer(i), h.peers[i].c.Incarnation+1)
	h.peers[i] = h.n.peers[i].Protocol.(*average)
	h.n.underway = slices.DeleteFunc(h.n.underway, func(p parcel) bool { return p.From == Peer(i) || p.to == Peer(i) })
	for c := range h.base {
		h.base[c] = drift(h.peers, c) - underWay(h.peers, c)
	}
	h.losses++
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
			for c := range h.base {
				if d := drift(h.peers, c) - h.base[c]; d != 0 || underWay(h.peers, c) != 0 {
					return fmt.Errorf("coordinate %d: Σ mixed - Σ entered is %d after healing", c, d)
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
	a := h.peers[p.to]
	if h.mutate != nil {
		p.Message = changed(p.Message, func(*message) {})
		h.mutate(a, &a.links[a.link(p.From)], p.Message)
	}
	before := a.out
	if _, err := h.n.deliver(h.t, int(p.to), p.Delivery); err != nil {
		h.t.Fatalf("peer %d refuses an honest message: %v", p.to, err)
	}
	if p.Message.kind == averageDelta || p.Message.kind == averageAsk {
		h.entries += uint64(before - a.out)
		for k := range h.n.arms {
			if a.mine.At(k) > 0 && !a.mixed.In(k) {
				h.outside++
			}
		}
	}
}

func (h *history) check() error {
	for c := range h.base {
		if d, way := drift(h.peers, c)-h.base[c], underWay(h.peers, c); d != way {
			return fmt.Errorf("coordinate %d: Σ mixed - Σ entered is %d, but %d is under way", c, d, way)
		}
	}
	return nil
}

// drift returns what is mixed of a coordinate beyond what was entered: Σv - ΣX of an arm,
// or Σw less the number of peers that have entered it; weights stand behind values.
func drift(peers []*average, c int) (d int64) {
	for _, a := range peers {
		d += mixed(a, c) - entered(a, c)
	}
	return d
}

// mixed returns a coordinate as it stands at a peer.
func mixed(a *average, c int) int64 {
	if c < a.c.Arms {
		return a.mixed.Value(c)
	}
	return a.mixed.Weight(c - a.c.Arms)
}

// entered returns what a peer has put into a coordinate.
func entered(a *average, c int) int64 {
	switch k := c % a.c.Arms; {
	case !a.mixed.In(k):
		return 0
	case c < a.c.Arms:
		return a.mixed.Own(k)
	default:
		return 1 << -dp.MeanExponent
	}
}

// underWay returns the sum over links of what the asked end added for a question
// that the asking end still has open.
func underWay(peers []*average, c int) (d int64) {
	for i, a := range peers {
		for _, l := range a.links {
			if !l.open {
				continue
			}
			b := peers[l.peer]
			back := &b.links[b.link(Peer(i))]
			if back.answer == averageDelta && c < back.delta.Len() && back.last == (Label{Origin: Peer(i), Incarnation: a.c.Incarnation, Seq: l.seq}) {
				d += back.delta.Value(c)
			}
		}
	}
	return d
}
