package config

import "peerd.dev/gossip/topology"

// Degrees are the least and the greatest number of neighbours of a peer.
type Degrees struct{ Least, Most int }

// GraphDegrees returns the degrees of a graph.
func GraphDegrees(g *topology.Graph) Degrees {
	d := Degrees{g.Degree(0), g.Degree(0)}
	for i := range g.N() {
		d.Least, d.Most = min(d.Least, g.Degree(i)), max(d.Most, g.Degree(i))
	}
	return d
}
