package batches

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// The messages of local.
const (
	localRow    protocol.Kind = 56 // the sum over all batches of an estimator of its origin, signed
	localDigest protocol.Kind = localRow + spread.FloodDigest
	localWant   protocol.Kind = localRow + spread.FloodWant
)

// LocalParams are the parameters of protocol local.
type LocalParams struct {
	Hops      uint64       `want:"1..255" unit:"links" fixed:"yes" doc:"Links that a release travels, one a round, and so how far away the sites are from which a site learns; γ of the paper."`
	First     uint64       `want:"1..1000000" unit:"decisions" fixed:"yes" doc:"Decisions of a site in its first batch. With growth, 85 times the deviation of the noise in a draw over the root of the number of sites is good."`
	Growth    float64      `want:"0 up to 4" fixed:"yes" doc:"A batch has this many times the decisions of all batches of its site before it; 0 keeps all batches as long as the first."`
	Schedule  NewsSchedule `want:"fixed|logdet-private" doc:"What is sent: every batch, or the sum over batches only when unsent decisions times what they add to the log-determinant of the neighbourhood's records is threshold. All batches are released and charged for either way."`
	Threshold float64      `want:"over 0 up to 1000000000" doc:"With schedule: logdet-private, how much news is worth a row; D of the paper, over 2."`
	Pull      uint64       `want:"1..1000000" unit:"rounds" changes:"yes" doc:"Rounds between two digests, by which neighbours make sure that they hold the same rows; up to 256 times as many for one that does not answer, and none while nothing is new."`
}

// Words implements [protocol.Params].
func (LocalParams) Words() protocol.Words {
	return protocol.Words{
		Name: "local", Summary: "batches of a site's decisions, each released once, and the sums over them spread to sites a few links away, for learners that choose by features",
		When:   "instead of `batch`, when releases may travel a few links only, or when only near sites are alike",
		Public: "how many rewards each batch holds, which is one for every decision in it",
		Mixed:  "; a site adds up the batches of its neighbourhood, which can be fewer sites",
	}
}

// Traits implements [protocol.Traited].
func (p LocalParams) Traits() protocol.Traits {
	return protocol.Traits{
		Kinds: map[protocol.Kind]string{localRow: "row", localDigest: "digest", localWant: "want"}, Leaf: "first", Wide: true, Sites: true,
		Adaptive: true, // a digest contains a checksum of signatures, which depend on releases
		Fixed:    "how far a release travels follows from one graph, at all peers alike",
	}
}

// Suits implements [protocol.Suited].
func (LocalParams) Suits(dp.Mechanism) bool { return true }

// Check implements [protocol.Checked].
func (p LocalParams) Check(n protocol.Net) (field, want string) {
	if n.Horizon > 0 && p.First > n.Horizon {
		return "first", "at most privacy.horizon, or no batch is ever released"
	}
	return "", ""
}

// Small implements [protocol.Shrinking].
func (p LocalParams) Small(leaf uint64) protocol.Params {
	p.First, p.Growth, p.Pull = leaf, min(p.Growth, .1), min(p.Pull, leaf+1)
	return p
}

// Cadence implements [protocol.Params]: leaves are batches.
func (p LocalParams) Cadence() protocol.Cadence { return spread.Batching(p.First, p.Growth) }

// New implements [protocol.Params].
//
// Protocol local is decentralized FedUCB, in the LOCAL model of communication (Dubey and Pentland
// 2020, Algorithm 3): releases of a site travel a number of links, one per round, and no further.
// Each batch of a site's decisions is a leaf, and its row contains the sum over all of its batches,
// with one count; see [spread.Totals]. A peer adds up the newest rows of its neighbourhood, so a
// repeated, late or lost row is counted once in the end.
//
// A row does not say how much further it may travel: that is the number of links minus the distance
// from its origin in the published graph, by any path. So no relay has to be trusted with it. A
// relay cannot change a row, which is signed, nor extend its reach, since peers beyond it refuse
// the row. It can suppress a row; then other peers send it, once digests show that it is missing.
//
// With schedule logdet-private a site does not send a batch, which is drawn and charged as usual,
// until there is enough news; see [newsworthy]. Its own belief contains the batch at once.
//
// As with batch, the belief contains released batches only, the peer's own included.
func (p LocalParams) New(c protocol.Config) (protocol.Protocol, error) {
	return p.Open(c, p.Cadence(), nil)
}

// Open is [LocalParams.New] with another cadence, whose estimators may take turns, and for a peer that adds up the releases
// of some peers in its ball only, nil for all. It is for what papers print.
func (p LocalParams) Open(c protocol.Config, cadence protocol.Cadence, members []bool) (protocol.Protocol, error) {
	if err := cadence.Check(); err != nil || p.First < 1 || p.Hops < 1 || !(p.Threshold > 0) {
		return nil, fmt.Errorf("local: hops %d, first %d, growth %v, threshold %v, want at least 1, at least 1, 0 up to 4, and over 0", p.Hops, p.First, p.Growth, p.Threshold)
	}
	l := &batched{threshold: p.Schedule.released(p.Threshold), members: members, turns: true}
	c.Topic = false // a topic has no reach
	if err := l.open(c, localRow, p.Pull, cadence); err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	balls := Balls(c.Graph, p.Hops)
	l.Reach = map[protocol.Peer][]bool{c.Self: balls[c.Self]}
	for _, n := range c.Neighbours() {
		l.Reach[n] = balls[n]
	}
	return l, nil
}
