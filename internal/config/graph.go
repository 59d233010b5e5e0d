package config

import (
	"fmt"
	"math/rand/v2"
	"os"

	"peerd.dev/gossip/topology"
	"peerd.dev/protocol"
)

// readSpec reads the short form of a topology of n peers, and the edges if the
// form names a file.
func readSpec(text string, n int) (topology.Spec, error) {
	spec, err := topology.ParseSpec(text)
	if err != nil {
		return spec, err
	}
	spec.N = n
	if spec.Name != "file" {
		return spec, nil
	}
	f, err := os.Open(spec.File)
	if err != nil {
		return spec, err
	}
	defer func() { _ = f.Close() }()
	if spec.Edges, err = topology.Parse(f); err != nil {
		return spec, fmt.Errorf("%s: %w", spec.File, err)
	}
	return spec, nil
}

// BuildGraph returns the graph of n peers that a text and a seed stand for.
func BuildGraph(text string, n int, seed uint64) (*topology.Graph, topology.Report, error) {
	spec, err := readSpec(text, n)
	if err != nil {
		return nil, topology.Report{}, err
	}
	return spec.Build(rand.New(rand.NewPCG(seed, 0)))
}

// knownNet returns the network of n peers as far as a topology says it: no graph where chance
// decides or none can be built.
func knownNet(text string, n int) protocol.Net {
	net := protocol.Net{Peers: n}
	spec, err := readSpec(text, n)
	if err != nil || spec.Validate() != nil {
		return net
	}
	switch {
	case spec.Name == "regular":
		net.LeastDegree = spec.Degree
	case !spec.Drawn():
		if g, _, err := spec.Build(nil); err == nil {
			net.LeastDegree, net.Graph = GraphDegrees(g).Least, Neighbours(g.N(), g.Edges())
		}
	}
	return net
}

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
