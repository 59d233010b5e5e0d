package graphs

import "peerd.dev/gossip/topology"

// SpectralGap returns 1 − λ₂, where λ₂ is the second largest eigenvalue of the gossip
// matrix of Zhu, Zhu, Liu and Liu, "Federated Bandit: A Gossiping Approach" (2021): in a
// round one edge, drawn uniformly, averages its two ends, so that in the mean
//
//	W = (1/|E|) Σ_(i,j)∈E (I − (e_i−e_j)(e_i−e_j)ᵀ/2) = I − L/(2|E|)
//
// with L the Laplacian of the graph. The expected squared distance from the mean
// shrinks by the factor λ₂ a round or faster. λ₂ lies in [0, 1) if g is connected
// and is 1 if not. It is 0 for a single peer, which has nothing to agree on. When λ₂ is close to
// 1, the gap has digits that 1 − λ₂ has lost.
//
// The gap is μ₂/(2|E|), where μ₂, the algebraic connectivity, is the second smallest
// eigenvalue of the Laplacian. It is 0 if g is not
// connected and 1 for a single peer. The relative error is about
// 1e-9, but rounding may make it 1e-14 times the largest degree over μ₂.
func SpectralGap(g *topology.Graph) float64 {
	switch {
	case g.N() == 1:
		return 1
	case !g.Connected():
		return 0
	}
	return sparseConnectivity(g) / float64(2*g.Size())
}
