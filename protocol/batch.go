package protocol

import (
	"fmt"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// The messages of batch.
const (
	batchRow    Kind = 88 // the sum over all batches of its origin, signed
	batchDigest Kind = batchRow + floodDigest
	batchWant   Kind = batchRow + floodWant
)

// BatchParams are the parameters of protocol batch.
type BatchParams struct {
	First  uint64  `want:"1..1000000" unit:"decisions" fixed:"yes" doc:"Decisions of a site in its first batch. With growth, 85 times the deviation of the noise in a draw over the root of the number of sites is good."`
	Growth float64 `want:"0 up to 4" fixed:"yes" doc:"A batch has this many times the decisions of all batches of its site before it; 0 keeps all batches as long as the first."`
	Pull   uint64  `want:"1..1000000" unit:"rounds" doc:"Rounds between two digests, by which neighbours make sure that they hold the same rows; up to 256 times as many for one that does not answer, and none while nothing is new."`
}

func batchEntry() Entry {
	return define(
		Entry{
			Name: "batch", Summary: "batches of a site's decisions, each released once, and the sums over them spread to all, for learners that choose by features",
			Kinds: []Kind{batchRow, batchDigest, batchWant}, Leaf: "first", Wide: true,
			Suits:    func(dp.Mechanism) bool { return true },
			Adaptive: true, // a digest has a sum of signatures, which follow from what was released
		},
		BatchParams{First: 50, Growth: .25, Pull: 20},
		typed[BatchParams]{
			cadence: BatchParams.cadence,
			check: func(p BatchParams, n Net) (field, want string) {
				if n.Horizon > 0 && p.First > n.Horizon {
					return "first", "at most privacy.horizon, or no batch is ever released"
				}
				return "", ""
			},
			small: func(p BatchParams, leaf uint64) BatchParams {
				p.First, p.Growth, p.Pull = leaf, min(p.Growth, .1), min(p.Pull, leaf+1)
				return p
			},
			words: func(BatchParams) Words {
				return Words{Public: "how many rewards each batch holds, which is one for every decision in it"}
			},
			new: newBatch,
		},
	)
}

// cadence returns when batches close.
func (p BatchParams) cadence() Cadence { return batching(p.First, p.Growth) }

// batch is Private-FedLinUCB without a server (Zhou and Chowdhury 2024): each batch of a
// site's decisions is a leaf, and its row holds the sum over all of its batches, with one
// count; see [totals]. Everybody adds up the newest rows of all origins, so all who hold the
// same rows believe the same. It is the paper's prefix-sum form with an analyzer at every
// silo.
//
// The belief is of released batches alone, the peer's own included, as in the paper's
// Algorithm 8. Choices within a batch that followed from its raw records would change with a
// single one of them, and the sum of the batch with them by far more than is charged.
type batch struct {
	totals
	cadence Cadence
	width   int
	belief  belief.Belief
	stale   bool
}

func newBatch(c Config, p BatchParams) (Protocol, error) {
	if err := p.cadence().Check(); err != nil || p.First < 1 {
		return nil, fmt.Errorf("batch: first %d, growth %v, want at least 1, and 0 up to 4", p.First, p.Growth)
	}
	b := &batch{cadence: p.cadence(), width: c.Width, belief: belief.New(c.Parts, c.Width)}
	var err error
	if b.totals, err = newTotals(c, batchRow, p.Pull, b.check); err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return b, nil
}

// check refuses what is no row of its origin.
func (b *batch) check(m *Message) error { return b.sound(m, b.width, b.cadence) }

// Chosen counts the choice.
func (b *batch) Chosen(part int) { b.belief.Pulls[part]++ }

// Released adds batches to those before and makes rows of them.
func (b *batch) Released(own []Own, out *Outbox) error {
	for i := range own {
		if own[i].Over {
			continue
		}
		b.stale = true
		if err := b.add(&own[i], out); err != nil {
			return err
		}
	}
	return nil
}

// Tick sends digests, and rows again that what peers agree on has made void.
func (b *batch) Tick(t Round, out *Outbox) error {
	b.tick(t, out)
	return nil
}

// Receive takes in rows and digests.
func (b *batch) Receive(from Peer, m Message, out *Outbox) error {
	news, err := b.receive(from, m, out)
	b.stale = b.stale || news
	return err
}

// Belief adds up what all origins have released.
func (b *batch) Belief() *belief.Belief {
	if b.stale {
		for k := range b.total {
			b.addUp(&b.belief, k, k, nil)
		}
		b.stale = false
	}
	return &b.belief
}

const batchVersion = 1

// Save implements [Protocol].
func (b *batch) Save() ([]byte, error) {
	w := state.NewWriter(batchVersion)
	b.save(w)
	w.Uints(b.belief.Pulls)
	return w.State(), nil
}

// Load implements [Protocol].
func (b *batch) Load(saved []byte) error {
	s := state.NewReader(saved, batchVersion)
	b.load(s, b.width)
	s.Uints(b.belief.Pulls)
	b.stale = true
	return ended(s)
}
