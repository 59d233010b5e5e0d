// Package shuffling has protocol shuffle, the shuffle model of privacy: silos, a shuffler and an analyzer.
package shuffling

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// The messages of shuffle.
const (
	shuffleSealed protocol.Kind = 24 // the p-sum of a silo, sealed, to the shuffler; signed by the silo
	shuffleMixed  protocol.Kind = 25 // a part of the reports of a batch, permuted, to the analyzer; signed by the shuffler
	shuffleTotal  protocol.Kind = 26 // the sum over all silos and batches, to all; signed by the analyzer
)

// Sees is what the analyzer can read.
type Sees string

// What the analyzer can read.
const (
	// Reports is each silo's p-sum, without its origin: privacy by amplification, Theorem 5.3 of paper 002.
	Reports Sees = "reports"
	// Sum is the sum over silos alone: the vector sum of Theorem 5.5 of paper 002, on counts instead of bags of bits.
	Sum Sees = "sum"
)

// Params are the parameters of protocol shuffle.
type Params struct {
	Every    uint64 `want:"1..1000000" unit:"rounds" fixed:"yes" doc:"Rounds in a batch, by the clock."`
	Shuffler int    `want:"0..1000000" unit:"place" fixed:"yes" doc:"Place in the network file, from 1, of a peer without arms, linked to every site; 0 for a peer alone."`
	Analyzer int    `want:"0..1000000" unit:"place" fixed:"yes" doc:"The same of the analyzer, linked to the shuffler."`
	Sees     Sees   `want:"reports|sum" fixed:"yes" doc:"The analyzer reads every report, without its origin, or the sum over sites."`
	Honest   int    `want:"1..1000000" unit:"sites" fixed:"yes" doc:"Sites whose noise the promise counts on. With 1 users are protected from shuffler and analyzer together. More is for lockstep."`
	Least    int    `want:"1..1000000" unit:"sites" changes:"yes" doc:"Fewest sites whose reports the shuffler forwards together."`
	Deadline uint64 // rounds for which the shuffler waits for all sites once one has reported; then least sites are enough
	Pull     uint64 // rounds after which a site or the shuffler sends again if there was no answer
}

// Words implements [protocol.Params].
func (Params) Words() protocol.Words {
	return protocol.Words{
		Name: "shuffle", Summary: "sealed p-sums of batches that a shuffler permutes and an analyzer adds up (SDP-FedLinUCB)",
		When:   "to compare with paper 002; `batch` has the same promise without a shuffler, and less noise for it",
		Public: "how many rewards each batch holds, and which sites report",
	}
}

// Traits implements [protocol.Traited].
func (Params) Traits() protocol.Traits {
	return protocol.Traits{
		Kinds: map[protocol.Kind]string{shuffleSealed: "sealed", shuffleMixed: "mixed", shuffleTotal: "total"},
		Leaf:  "every", Wide: true,
		Fixed: "the shuffler waits for one list of sites",
	}
}

// Suits implements [protocol.Suited]: a p-sum is a node of the binary tree.
func (Params) Suits(m dp.Mechanism) bool {
	return m == dp.Tree || m == dp.TreeGaussian || m == dp.None
}

// Recommend implements [protocol.Recommended].
func (Params) Recommend(most protocol.Recommendation) protocol.Recommendation {
	most.Pure, most.Gaussian = dp.Tree, dp.TreeGaussian
	return most
}

// Cadence implements [protocol.Params].
func (p Params) Cadence() protocol.Cadence {
	return protocol.Cadence{Rounds: p.Every, Tied: true, Noun: "batch"}
}

// Check implements [protocol.Checked].
func (p Params) Check(n protocol.Net) (field, want string) {
	silos := max(1, n.Peers-2)
	switch {
	case n.Horizon > 0 && p.Every > n.Horizon:
		return "every", "at most privacy.horizon, or no batch is ever released"
	case (p.Shuffler == 0) != (p.Analyzer == 0), p.Shuffler > 0 && p.Shuffler == p.Analyzer:
		return "analyzer", fmt.Sprintf("another place than shuffler, %d, and 0 if that is 0", p.Shuffler)
	case p.Honest > p.Least:
		return "honest", fmt.Sprintf("at most least, %d, the fewest sites whose reports go together", p.Least)
	case n.Peers == 0:
		return "", ""
	case p.Shuffler > n.Peers || n.Peers < 3 && p.Shuffler > 0:
		return "shuffler", fmt.Sprintf("the place of one of the %d peers, of which one more is the analyzer and one has arms, or 0", n.Peers)
	case p.Analyzer > n.Peers:
		return "analyzer", fmt.Sprintf("the place of one of the %d peers", n.Peers)
	case p.Least > silos:
		return "least", fmt.Sprintf("at most %d, the number of sites", silos)
	}
	return "", ""
}

// Idle reports whether a peer is the shuffler or the analyzer.
func (p Params) Idle(self protocol.Peer) bool {
	return int64(self) == int64(p.Shuffler)-1 || int64(self) == int64(p.Analyzer)-1
}

// Among implements [protocol.Resized].
func (p Params) Among(peers int) protocol.Params {
	if p.Shuffler, p.Analyzer = peers-1, peers; peers < 3 {
		p.Shuffler, p.Analyzer = 0, 0
	}
	p.Least = min(p.Least, max(1, peers-2))
	p.Honest = min(p.Honest, p.Least)
	return p
}

// Small implements [protocol.Shrinking].
func (p Params) Small(leaf uint64) protocol.Params {
	p.Every, p.Deadline, p.Pull = leaf, 3*leaf, 3
	return p
}
