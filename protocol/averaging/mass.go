package averaging

import (
	"math"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Mass returns what averaging conserves, over all peers of a network, by coordinate: the sum of estimates
// is what peers have entered plus what one end of a link has moved and the other has not. Protocol average
// has the weights of arms behind their values, so it has two coordinates an arm.
func Mass(peers []protocol.Protocol, coordinates int) (estimates, own, way []float64) {
	estimates, own, way = make([]float64, coordinates), make([]float64, coordinates), make([]float64, coordinates)
	var as []*average
	for _, p := range peers {
		a, averages := p.(*average)
		if averages {
			as = append(as, a)
		}
		x, _ := p.(*consensus)
		for k := range estimates {
			switch {
			case averages:
				estimates[k] += onGrid(coordinate(a, k), dp.MeanExponent)
				own[k] += onGrid(entered(a, k), dp.MeanExponent)
			case x != nil:
				estimates[k] += onGrid(x.shares.Value(k), dp.GridExponent)
				own[k] += onGrid(x.shares.Entered(k), dp.GridExponent)
				for i := range x.flows {
					way[k] += onGrid(x.flows[i].Sent(k)-x.flows[i].Taken(k), dp.GridExponent)
				}
			}
		}
	}
	for k := range way {
		way[k] += onGrid(underWay(as, k), dp.MeanExponent)
	}
	return estimates, own, way
}

func onGrid(v int64, exponent int8) float64 { return math.Ldexp(float64(v), int(exponent)) }

// coordinate returns a coordinate as it stands at a peer.
func coordinate(a *average, c int) int64 {
	if c < a.c.Parts {
		return a.mixed.Value(c)
	}
	return a.mixed.Weight(c - a.c.Parts)
}

// entered returns what a peer has put into a coordinate.
func entered(a *average, c int) int64 {
	switch k := c % a.c.Parts; {
	case !a.mixed.Joined(k):
		return 0
	case c < a.c.Parts:
		return a.mixed.Own(k)
	default:
		return 1 << -dp.MeanExponent
	}
}

// underWay returns the sum over links of what the asked end added for a question
// that the asking end still has open.
func underWay(peers []*average, c int) (d int64) {
	for i, a := range peers {
		for _, l := range a.links {
			if !l.open {
				continue
			}
			b := peers[l.peer]
			back := &b.links[b.link(protocol.Peer(i))]
			if back.answer == averageDelta && c < back.delta.Len() && back.last == (protocol.Label{Origin: protocol.Peer(i), Incarnation: a.c.Incarnation, Seq: l.seq}) {
				d += back.delta.Value(c)
			}
		}
	}
	return d
}
