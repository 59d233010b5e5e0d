package averaging

import (
	"math"
	"slices"

	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
)

// kappa is the step size κ of paper 001, as its experiments have it. At 1 estimates swing for ever where all peers have as many
// neighbours and no circle of links is odd.
const kappa = 0.5

// weight returns the share that moves over the link between two peers, in units of
// 1/[averages.WholeShare].
func (p ConsensusParams) weight(g [][]protocol.Peer, a, b protocol.Peer) uint64 {
	if p.Weights == Metropolis {
		return averages.WholeShare / uint64(1+max(len(g[a]), len(g[b])))
	}
	most := 0
	for _, ns := range g {
		most = max(most, len(ns))
	}
	return uint64(kappa*averages.WholeShare) / uint64(most)
}

// mixing has a peer's constants of the powers of P. With pᵗ for its row of Pᵗ and M peers:
//
//	c_i = M Σ_t Σ_j [pᵗ_j (pᵗ_j - 1/M)]₊
//	c_0 = ½ Σ_t Σ_j |pᵗ_j - 1/M|
//
// which satisfy Lemma 2 of paper 001. Formulas (11) and (12) there depend on the choice of
// eigenvectors.
type mixing struct {
	peers    float64 // with a way to this one, itself included
	ci, c0   float64
	noiseSq  float64 // Σ v² over peers, where v is the total variation of a peer's entries over the rows, the first one included
	noiseMax float64 // the greatest v
}

// mixed is the total distance of the entries of a row from 1/M at which the powers end.
const mixed = 1e-6

func newMixing(p ConsensusParams, g [][]protocol.Peer, self protocol.Peer) (m mixing) {
	reached := component(g, self)
	place := make([]int, len(g))
	for k, a := range reached {
		place[a] = k
	}
	m.peers = float64(len(reached))
	even := 1 / m.peers
	row, next, varied := make([]float64, len(reached)), make([]float64, len(reached)), make([]float64, len(reached))
	weights := make([][]float64, len(reached))
	for k, a := range reached {
		for _, b := range g[a] {
			weights[k] = append(weights[k], float64(p.weight(g, a, b))/averages.WholeShare)
		}
	}
	row[place[self]] = 1
	for first := true; ; first = false {
		copy(next, row)
		for k, a := range reached {
			for i, b := range g[a] {
				next[k] += weights[k][i] * (row[place[b]] - row[k])
			}
		}
		off := 0.
		for k, x := range next {
			m.ci += m.peers * max(0, x*(x-even))
			off += math.Abs(x - even)
			if first {
				varied[k] = x
			} else {
				varied[k] += math.Abs(x - row[k])
			}
		}
		m.c0 += off / 2
		row, next = next, row
		if off < mixed {
			break
		}
	}
	for _, v := range varied {
		m.noiseSq += v * v
	}
	m.noiseMax = slices.Max(varied)
	return m
}

// component returns the peers that a peer has a way to, ascending, itself among them.
func component(g [][]protocol.Peer, self protocol.Peer) (reached []protocol.Peer) {
	t := hub.NewWays(g, self)
	for p := range protocol.Peer(len(g)) {
		if t.Reaches(p) {
			reached = append(reached, p)
		}
	}
	return reached
}
