// Package batches has the protocols that carry sums of matrices and vectors over batches of records: batch and local.
package batches

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// The rows of batch without an analyzer and of local, each followed by its digest and the answer to one.
const (
	batchRow protocol.Kind = 88 // the sum over all batches of its origin, signed
	localRow protocol.Kind = 56 // the same, with a reach
)

// DecideFrom says which data of a site's own unfinished batch its choices depend on.
type DecideFrom string

// The data on which choices depend, in addition to the released batches of all sites.
const (
	// FromReleases is no other data: Algorithm 8 of paper 002.
	FromReleases DecideFrom = "releases"
	// FromNoisedLocal is a running sum of the own batch, which is drawn, charged and stored
	// before it is used.
	FromNoisedLocal DecideFrom = "noised-local"
)

// BatchParams are the parameters of protocol batch, which is called local if releases travel a number of links only.
type BatchParams struct {
	Hops       uint64       `only:"local" want:"1..255" unit:"links" fixed:"yes" doc:"Links that a release travels, one a round; γ of paper 000."`
	First      uint64       `want:"1..1000000" unit:"decisions" fixed:"yes" doc:"Decisions in the first batch; good is 85 times a draw's deviation over the root of the number of sites. With noised-local, decisions between two draws."`
	Growth     float64      `want:"0 up to 4" fixed:"yes" doc:"A batch has this many times the decisions of all before it; 0 keeps the first length."`
	DecideFrom DecideFrom   `only:"batch" key:"decide_from" want:"releases|noised-local" fixed:"yes" doc:"A site decides from all releases, or also from a noised sum of its batch under way."`
	Analyzer   int          `only:"batch" want:"0..1000000" unit:"place" fixed:"yes" doc:"Place in the network file, from 1, of a peer without arms that returns to each site the sum over the others; 0 for none."`
	Schedule   NewsSchedule `want:"fixed|logdet-private" later:"batch" doc:"Sends every batch, or their sum once unsent decisions times what they add to the log-determinant reach threshold. All are charged for."`
	Threshold  float64      `want:"over 0 up to 1000000000" later:"batch" doc:"With logdet-private: D of paper 000, over 2."`
	Draws      uint64       `only:"batch" want:"1..10000" unit:"draws" fixed:"yes" doc:"With noised-local, draws of noise in the first batch."`
	Pull       uint64       `want:"1..1000000" unit:"rounds" changes:"yes" doc:"Rounds between digests that neighbours compare; up to 256 times as many without an answer."`
}

// Words implements [protocol.Params].
func (p BatchParams) Words() protocol.Words {
	public := "how many rewards each batch holds, which is one for every decision in it"
	if p.Hops > 0 {
		return protocol.Words{
			Name: "local", Summary: "batches of a site's decisions, each released once, and the sums over them spread to sites a few links away, for learners that choose by features",
			When:   "instead of `batch`, when releases may travel a few links only, or when only near sites are alike",
			Public: public, Mixed: "; a site adds up the batches of its neighbourhood, which can be fewer sites",
		}
	}
	return protocol.Words{
		Name: "batch", Summary: "batches of a site's decisions, each released once, and the sums over them spread to all, for learners that choose by features",
		When:   "when actions are chosen by features of the user or of the actions (learner `linucb`), and all sites learn from all",
		Public: public,
	}
}

// Traits implements [protocol.Traited].
func (p BatchParams) Traits() protocol.Traits {
	row := p.row()
	t := protocol.Traits{
		Kinds: map[protocol.Kind]string{row: "row", row + spread.FloodDigest: "digest", row + spread.FloodWant: "want"},
		Leaf:  "first", Wide: true, Sites: p.Analyzer == 0,
		// A digest contains a checksum of signatures, which depend on releases.
		Adaptive: p.Analyzer == 0 || p.Schedule == LogDetSchedule,
	}
	switch {
	case p.Hops > 0:
		t.Fixed = "how far a release travels follows from one graph, at all peers alike"
		return t
	case p.Analyzer > 0:
		t.Fixed = "reports take the ways to the analyzer that one graph has, at all peers alike"
	}
	t.Kinds[batchReport], t.Kinds[batchOthers] = "report", "others"
	return t
}

// row returns the kind of rows.
func (p BatchParams) row() protocol.Kind {
	if p.Hops > 0 {
		return localRow
	}
	return batchRow
}

// Suits implements [protocol.Suited].
func (BatchParams) Suits(dp.Mechanism) bool { return true }

// Check implements [protocol.Checked].
func (p BatchParams) Check(n protocol.Net) (field, want string) {
	switch {
	case n.Horizon > 0 && p.First > n.Horizon:
		return "first", "at most privacy.horizon, or no batch is ever released"
	case n.Peers > 0 && p.Analyzer > n.Peers:
		return "analyzer", fmt.Sprintf("0, or the place of one of the %d peers", n.Peers)
	case n.Peers == 1 && p.Analyzer == 1:
		return "analyzer", "0 with one peer, so that it has arms"
	}
	return "", ""
}

// Idle reports whether a peer is the analyzer.
func (p BatchParams) Idle(self protocol.Peer) bool { return int64(self) == int64(p.Analyzer)-1 }

// Among implements [protocol.Resized].
func (p BatchParams) Among(peers int) protocol.Params {
	if p.Analyzer > 0 {
		p.Analyzer = peers
	}
	if peers == 1 {
		p.Analyzer = 0
	}
	return p
}

// Batches implements [protocol.Growing].
func (p BatchParams) Batches(first uint64) protocol.Params {
	p.First, p.Growth = first, 1
	return p
}

// Small implements [protocol.Shrinking].
func (p BatchParams) Small(leaf uint64) protocol.Params {
	p.First, p.Growth, p.Draws, p.Pull = leaf, min(p.Growth, .1), min(p.Draws, 2), min(p.Pull, leaf+1)
	return p
}

// Cadence implements [protocol.Params]: leaves close with batches, or several times in each.
func (p BatchParams) Cadence() protocol.Cadence {
	if p.DecideFrom == FromNoisedLocal {
		return protocol.Cadence{Decisions: p.First, Noun: "draw"}
	}
	return batching(p.First, p.Growth)
}

// New implements [protocol.Params].
//
// Protocol batch is Private-FedLinUCB without a server (Zhou and Chowdhury 2024): each batch of a
// site's decisions is a leaf, and its row contains the sum over all of its batches, with one count;
// see [spread.Totals]. Every peer adds up the newest rows of all origins, so peers with the same
// rows have the same belief. It is the paper's prefix-sum form with an analyzer at every silo. A
// repeated, late or lost row is counted once in the end.
//
// With a number of hops it is decentralized FedUCB, in the LOCAL model of communication (Dubey and
// Pentland 2020, Algorithm 3): releases of a site travel a number of links, one per round, and no
// further, and a peer adds up the newest rows of its neighbourhood. A row does not say how much
// further it may travel: that is the number of links minus the distance from its origin in the
// published graph, by any path. So no relay has to be trusted with it. A relay cannot change a row,
// which is signed, nor extend its reach, since peers beyond it refuse the row. It can suppress a
// row; then other peers send it, once digests show that it is missing.
//
// The belief contains released batches only, the peer's own included, as in the first paper's
// Algorithm 8. Choices that depended on the raw records of their batch, as in Algorithm 1, would
// change with a single record, and with them the sum of the batch by far more than its charge
// covers. With a noised local sum a batch has several leaves: the peer adds each to its own belief,
// and sends the sum after the last one. With schedule logdet-private a site does not send a batch,
// which is drawn and charged as usual, until there is enough news; see [newsworthy]. Its own belief
// contains the batch at once.
func (p BatchParams) New(c protocol.Config) (protocol.Protocol, error) {
	return p.Open(c, p.Cadence(), nil)
}

// Open is [BatchParams.New] with another cadence, whose estimators may take turns, and for a peer that adds up the releases
// of some peers in its reach only, nil for all. It is for what papers print.
func (p BatchParams) Open(c protocol.Config, cadence protocol.Cadence, members []bool) (protocol.Protocol, error) {
	switch {
	case p.Analyzer > c.Peers() || p.Analyzer > 0 && p.Hops > 0:
		return nil, fmt.Errorf("%s: analyzer %d, want 0 or the place of one of the %d peers, and 0 with hops", p.Words().Name, p.Analyzer, c.Peers())
	case p.Analyzer > 0:
		return newAnalyzed(c, p.Analyzer, cadence, p.batches(), p.Schedule.released(p.Threshold), p.Pull), nil
	}
	b := &batched{cadence: cadence, batches: p.batches(), members: members, threshold: p.Schedule.released(p.Threshold)}
	b.open(c, p.row(), p.Pull, p.Hops)
	return b, nil
}

// batches returns the number of leaves in batches as a cadence; zero if every leaf is a batch.
func (p BatchParams) batches() protocol.Cadence {
	if p.DecideFrom == FromNoisedLocal {
		return protocol.Cadence{First: p.Draws, Growth: p.Growth}
	}
	return protocol.Cadence{}
}
