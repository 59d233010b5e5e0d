package graphs

import "peerd.dev/gossip/topology"

// Metrics describe how well a graph carries gossip.
type Metrics struct {
	Peers         int
	Edges         int
	AverageDegree float64 // neighbours per peer
	Diameter      int     // hops; -1 if the graph is not connected
	Lambda2       float64 // λ₂; see [SpectralGap]
	SpectralGap   float64 // see [SpectralGap]
}

// Measure returns all metrics of g. At 10,000 peers it takes about 2 s, nearly all of it
// for the diameter, whose time grows with peers times edges.
func Measure(g *topology.Graph) Metrics {
	gap := SpectralGap(g)
	return Metrics{
		Peers:         g.N(),
		Edges:         g.Size(),
		AverageDegree: AverageDegree(g),
		Diameter:      Diameter(g),
		Lambda2:       1 - gap,
		SpectralGap:   gap,
	}
}

// Degrees returns the least and the greatest number of neighbours of a peer.
func Degrees(g *topology.Graph) (least, most int) {
	least, most = g.Degree(0), g.Degree(0)
	for i := range g.N() {
		least, most = min(least, g.Degree(i)), max(most, g.Degree(i))
	}
	return least, most
}

// AverageDegree returns 2|E|/N, the mean number of neighbours.
func AverageDegree(g *topology.Graph) float64 { return 2 * float64(g.Size()) / float64(g.N()) }

// Diameter returns the largest number of hops between two peers, which is the
// number of rounds that a flooded message needs to reach all peers. It is -1 if g is
// not connected.
func Diameter(g *topology.Graph) int {
	s := newSearch(g)
	longest := 0
	for i := range g.N() {
		hops, reached := s.from(i)
		if reached < g.N() {
			return -1
		}
		longest = max(longest, hops)
	}
	return longest
}
