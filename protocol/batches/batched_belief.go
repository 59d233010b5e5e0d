package batches

import (
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// addUp believes of a part the sum of what origins, nil for all, have released of a stream, and the sums of each. Origins
// that take no part in the network do not count.
func addUp(s *spread.Totals, b *belief.Belief, part, stream int, origins []bool) {
	b.Sites[part] = b.Sites[part][:0]
	spread.BelieveSum(b, part, func(yield func(*dp.Release) bool) {
		for p := range s.C.Peers() {
			if origins != nil && !origins[p] || !s.C.Member(protocol.Peer(p)) {
				continue
			}
			if x := s.SumOf(protocol.Peer(p), stream); x != nil {
				b.Sites[part] = addSite(b.Sites[part], p, x)
				if !yield(x) {
					return
				}
			}
		}
	})
}

// addSite appends what a peer's site has released, in the memory of earlier sums.
func addSite(sites []belief.Site, peer int, x *dp.Release) []belief.Site {
	var sum []float64
	if n := len(sites); n < cap(sites) {
		sum = sites[:n+1][n].Sum[:0]
	}
	for i := range x.Len() {
		sum = append(sum, x.At(i))
	}
	noise := x.NoiseMoments()
	return append(sites, belief.Site{
		Peer: peer, Sum: sum, N: float64(x.Count(0)),
		LaplaceSumSq: noise.LaplaceSumSq, LaplaceMax: noise.LaplaceMax, GaussVar: noise.GaussVar,
	})
}
