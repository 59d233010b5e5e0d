package averaging

import "peerd.dev/protocol"

// ConsensusParams are the parameters of protocol consensus.
type ConsensusParams struct {
	Weights  Weights `want:"metropolis|laplacian" doc:"Share of their difference that two neighbours even out in a round: 1/(1 + their greater degree), or 1/2 by the network's greatest, as in the paper."`
	Patience uint64  `want:"2..1000000" unit:"rounds" changes:"yes" doc:"Rounds after which a silent neighbour gets no more shares."`
}

// Words implements [protocol.Params].
func (ConsensusParams) Words() protocol.Words {
	return protocol.Words{
		Name: "consensus", Summary: "running consensus of noised sums and of how many rewards they hold (DP-Decentralized UCB)",
		When:   "to compare with paper 001; peers have to trust each other",
		Public: "how many rewards every action has had, after every round",
		Mixed:  ", once consensus has mixed them",
	}
}

// Traits implements [protocol.Traited].
func (ConsensusParams) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{consensusState: "state"}}
}

// Cadence implements [protocol.Params].
func (ConsensusParams) Cadence() protocol.Cadence { return protocol.Cadence{Noun: "reward"} }

// Weights is the name of the matrix P of running consensus.
type Weights string

// The matrices. Both are symmetric, and their rows add up to 1.
const (
	// Metropolis moves 1/(1 + the greater number of neighbours of both ends) over a link.
	Metropolis Weights = "metropolis"
	// Laplacian is I - κ/d·L, with κ = 1/2 and the greatest number of neighbours d: formula (4) of paper
	// 001. A peer has to know the whole graph for it.
	Laplacian Weights = "laplacian"
)

// consensusState contains all that has crossed a link in one direction: sums, and numbers of
// records.
const consensusState protocol.Kind = 64
