package batches

import (
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// addUp believes of a part the sum of what members have released of a stream, and the sums of each. Origins that take no part
// in the network do not count.
func (b *batched) addUp(of *belief.Belief, part, stream int) {
	of.Sites[part] = of.Sites[part][:0]
	spread.BelieveSum(of, part, func(yield func(*dp.Release) bool) {
		for p := range b.C.Peers() {
			if b.members != nil && !b.members[p] || !b.C.Member(protocol.Peer(p)) {
				continue
			}
			if x := b.SumOf(protocol.Peer(p), stream); x != nil {
				of.Sites[part] = addSite(of.Sites[part], p, x)
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
