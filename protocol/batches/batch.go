// Package batches has the protocols that carry sums of matrices and vectors over batches of records: batch and local.
package batches

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// The messages of batch without an analyzer.
const (
	batchRow    protocol.Kind = 88 // the sum over all batches of its origin, signed
	batchDigest protocol.Kind = batchRow + spread.FloodDigest
	batchWant   protocol.Kind = batchRow + spread.FloodWant
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

// BatchParams are the parameters of protocol batch.
type BatchParams struct {
	First      uint64       `want:"1..1000000" unit:"decisions" fixed:"yes" doc:"Decisions of a site in its first batch. With growth, 85 times the deviation of the noise in a draw over the root of the number of sites is good. With decide_from: noised-local, decisions between two draws of noise."`
	Growth     float64      `want:"0 up to 4" fixed:"yes" doc:"A batch has this many times the decisions of all batches of its site before it; 0 keeps all batches as long as the first."`
	DecideFrom DecideFrom   `key:"decide_from" want:"releases|noised-local" fixed:"yes" doc:"What a site decides from, besides what others released: its own released batches; or these and a noised sum of its batch under way."`
	Analyzer   int          `want:"0..1000000" unit:"place" fixed:"yes" doc:"Place of the analyzer in the network file, from 1. It has no arms, and returns to each site the sum over the others. With 0 there is none, and rows spread to all sites."`
	Schedule   NewsSchedule `want:"fixed|logdet-private" later:"yes" doc:"What is sent: every batch, or the sum over batches only when unsent decisions times what they add to the log-determinant of all records is threshold. All batches are released and charged for either way."`
	Threshold  float64      `want:"over 0 up to 1000000000" later:"yes" doc:"With schedule: logdet-private, how much news is worth a message; D of paper 000, over 2."`
	Draws      uint64       `want:"1..10000" unit:"draws" fixed:"yes" doc:"With decide_from: noised-local, draws of noise in a site's first batch."`
	Pull       uint64       `want:"1..1000000" unit:"rounds" changes:"yes" doc:"Rounds between two digests, by which neighbours make sure that they hold the same rows; up to 256 times as many for one that does not answer, and none while nothing is new."`
}

// Words implements [protocol.Params].
func (BatchParams) Words() protocol.Words {
	return protocol.Words{
		Name: "batch", Summary: "batches of a site's decisions, each released once, and the sums over them spread to all, for learners that choose by features",
		When:   "when actions are chosen by features of the user or of the actions (learner `linucb`), and all sites learn from all",
		Public: "how many rewards each batch holds, which is one for every decision in it",
	}
}

// Traits implements [protocol.Traited].
func (p BatchParams) Traits() protocol.Traits {
	t := protocol.Traits{
		Kinds: map[protocol.Kind]string{batchRow: "row", batchDigest: "digest", batchWant: "want", batchReport: "report", batchOthers: "others"}, Leaf: "first", Wide: true, Sites: p.Analyzer == 0,
		// A digest contains a checksum of signatures, which depend on releases.
		Adaptive: p.Analyzer == 0 || p.Schedule == LogDetSchedule,
	}
	if p.Analyzer > 0 {
		t.Fixed = "reports take the ways to the analyzer that one graph has, at all peers alike"
	}
	return t
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
	return spread.Batching(p.First, p.Growth)
}

// New implements [protocol.Params].
//
// Protocol batch is Private-FedLinUCB without a server (Zhou and Chowdhury 2024): each batch of a
// site's decisions is a leaf, and its row contains the sum over all of its batches, with one count;
// see [spread.Totals]. Every peer adds up the newest rows of all origins, so peers with the same
// rows have the same belief. It is the paper's prefix-sum form with an analyzer at every silo.
//
// The belief contains released batches only, the peer's own included, as in the paper's Algorithm
// 8. Choices that depended on the raw records of their batch, as in Algorithm 1, would change with
// a single record, and with them the sum of the batch by far more than its charge covers. With a
// noised local sum a batch has several leaves: the peer adds each to its own belief, and sends the
// sum after the last one.
func (p BatchParams) New(c protocol.Config) (protocol.Protocol, error) {
	switch local := p.DecideFrom == FromNoisedLocal; {
	case p.Cadence().Check() != nil || p.First < 1:
		return nil, fmt.Errorf("batch: first %d, growth %v, want at least 1, and 0 up to 4", p.First, p.Growth)
	case !local && p.DecideFrom != FromReleases:
		return nil, fmt.Errorf("batch: decide_from %q, want %s or %s", p.DecideFrom, FromReleases, FromNoisedLocal)
	case p.Analyzer < 0 || p.Analyzer > c.Peers():
		return nil, fmt.Errorf("batch: analyzer %d, want 0 or the place of one of the %d peers", p.Analyzer, c.Peers())
	case p.Schedule.released(1) > 0 && !(p.Threshold > 0):
		return nil, fmt.Errorf("batch: threshold %v, want over 0", p.Threshold)
	case local && p.Draws < 1:
		return nil, fmt.Errorf("batch: %d draws, want at least 1", p.Draws)
	}
	if p.Analyzer > 0 {
		if p.Pull < 1 {
			return nil, fmt.Errorf("batch: pull is %d rounds, want at least 1", p.Pull)
		}
		return newAnalyzed(c, p.Analyzer, p.Cadence(), p.batches(), p.Schedule.released(p.Threshold), p.Pull), nil
	}
	b := &batched{batches: p.batches(), threshold: p.Schedule.released(p.Threshold)}
	if err := b.open(c, batchRow, p.Pull, p.Cadence()); err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return b, nil
}

// batches returns the number of leaves in batches as a cadence; zero if every leaf is a batch.
func (p BatchParams) batches() protocol.Cadence {
	if p.DecideFrom == FromNoisedLocal {
		return protocol.Cadence{First: p.Draws, Growth: p.Growth}
	}
	return protocol.Cadence{}
}
