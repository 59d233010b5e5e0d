package averaging_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// TestMassIsConserved plays random histories of pulls, ticks, loss, duplication, reordering, delay,
// absence and restarts on random graphs, with noise on and every peer's clock its own: some run
// ahead, and some jump. Some peers have many pulls before the others begin, and some lose their
// state and start again. At every step and for every arm Σv = ΣX + Σδ under way over the peers that
// have entered it, and as much for weights, as integers; after the network has healed and the open
// questions were asked again, Σv = ΣX and Σw is their number. What a lost life had mixed is gone.
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
// the state of the peer that it is about to reach or of one that restarts. The histories
// above must notice each.
func TestMassTestCatchesMutants(t *testing.T) {
	for name, mutate := range averaging.AverageMutants() {
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
	n      *protocoltest.Network
	peers  []*averaging.Average
	rounds []protocol.Round // of each peer
	away   []bool           // peers who neither hear nor do anything, and keep their memory
	base   []int64          // by coordinate: Σ of mixed - entered - under way, which lost lives have left behind
	mutate averaging.AverageMutant
	trials
}

func newHistory(t *testing.T, seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := 3 + rng.IntN(6)
	h := &history{t: t, rng: rng, rounds: make([]protocol.Round, n), away: make([]bool, n)}
	h.n = protocoltest.New(t, protocoltest.Setting{
		Graph: protocoltest.Random(n, rng.IntN(n), rng), Arms: 1 + rng.IntN(3),
		Rounds: 200, Mechanism: dp.Tree, Seed: seed,
		Params: averaging.AverageParams{
			Consistency: []averaging.Consistency{averaging.Max, averaging.Robust, averaging.Capped}[rng.IntN(3)], F: 1,
			Rate: .2 + .3*rng.Float64(), Patience: 2 + rng.Uint64N(4),
		},
	})
	for _, p := range h.n.Peers {
		h.peers = append(h.peers, p.Protocol.(*averaging.Average))
	}
	h.base = make([]int64, 2*h.n.Arms)
	for i := range h.peers { // some are far ahead of the others
		if rng.IntN(3) == 0 {
			for range 10 * h.n.Arms {
				h.n.Pull(t, i, rng.IntN(h.n.Arms), rng.Float64())
			}
		}
	}
	return h
}

// play takes 50 to 200 random steps.
func (h *history) play() error {
	for step := range 50 + h.rng.IntN(150) {
		i := h.rng.IntN(len(h.peers))
		under := h.n.Underway
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
			h.n.Pull(h.t, i, h.rng.IntN(h.n.Arms), h.rng.Float64())
		case x < 10:
			h.tick(i)
		case len(under) == 0:
		case x < 16:
			h.deliver(h.rng.IntN(len(under))) // any of them: reordered, and delayed without bound
		case x < 18:
			h.lose(h.rng.IntN(len(under)))
		default:
			h.n.Underway = append(under, under[h.rng.IntN(len(under))])
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
	h.n.Restart(h.t, i, h.peers[i].Incarnation())
	h.peers[i] = h.n.Peers[i].Protocol.(*averaging.Average)
	if h.mutate != nil {
		h.mutate(h.peers[i], protocol.Everyone, protocol.NoMessage())
	}
	h.restarts++
}

// forget deletes the state of peer i and the messages under way on its links: it starts again, in a
// new incarnation. The sums are what they are then.
func (h *history) forget(i int) {
	h.t.Helper()
	h.n.Peers[i] = h.n.Peer(h.t, protocol.Peer(i), h.peers[i].Incarnation()+1)
	h.peers[i] = h.n.Peers[i].Protocol.(*averaging.Average)
	h.n.Underway = slices.DeleteFunc(h.n.Underway, func(p protocoltest.Parcel) bool { return p.From == protocol.Peer(i) || p.To == protocol.Peer(i) })
	for c := range h.base {
		h.base[c] = averaging.Drift(h.peers, c) - averaging.UnderWay(h.peers, c)
	}
	h.losses++
}

// heal brings every peer back, stops losses and plays rounds until no question is open.
func (h *history) heal() error {
	clear(h.away)
	open := func() bool {
		for _, a := range h.peers {
			if a.OpenQuestions() > 0 {
				return true
			}
		}
		return false
	}
	for range 500 {
		for len(h.n.Underway) > 0 {
			h.deliver(0)
			if err := h.check(); err != nil {
				return err
			}
		}
		if !open() {
			for c := range h.base {
				if d := averaging.Drift(h.peers, c) - h.base[c]; d != 0 || averaging.UnderWay(h.peers, c) != 0 {
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
	if h.rng.IntN(10) == 0 { // a busy daemon continues with the present round
		h.rounds[i] += protocol.Round(h.rng.IntN(20))
	}
	h.n.Round = h.rounds[i]
	h.rounds[i]++
	h.n.Tick(h.t, i)
	if h.peers[i].OpenQuestions() > 1 { // patience is over for the others: their answers come late or never
		h.overlaps++
	}
}

func (h *history) lose(k int) {
	h.n.Underway = append(h.n.Underway[:k], h.n.Underway[k+1:]...)
}

func (h *history) deliver(k int) {
	p := h.n.Underway[k]
	h.lose(k)
	if h.away[p.To] {
		return
	}
	if p.Message.Kind() == averaging.AverageBusy {
		h.busy++
	}
	a := h.peers[p.To]
	if h.mutate != nil {
		p.Message = protocoltest.DraftOf(p.Message).Message() // its lists are its own
		p.Message = h.mutate(a, p.From, p.Message)
	}
	before := a.Outside()
	if _, err := h.n.Deliver(h.t, int(p.To), p.Delivery); err != nil {
		h.t.Fatalf("peer %d refuses an honest message: %v", p.To, err)
	}
	if p.Message.Kind() == averaging.AverageDelta || p.Message.Kind() == averaging.AverageAsk {
		h.entries += uint64(before - a.Outside())
		for k := range h.n.Arms {
			if a.OwnCounts().At(k) > 0 && !a.Mixed().Joined(k) {
				h.outside++
			}
		}
	}
}

func (h *history) check() error {
	for c := range h.base {
		if d, way := averaging.Drift(h.peers, c)-h.base[c], averaging.UnderWay(h.peers, c); d != way {
			return fmt.Errorf("coordinate %d: Σ mixed - Σ entered is %d, but %d is under way", c, d, way)
		}
	}
	return nil
}
