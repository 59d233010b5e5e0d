package config

import (
	"fmt"
	"math/rand/v2"
	"os"

	"peerd.dev/gossip/topology"
)

// ReadGraph reads the short form of a topology of n peers, and the edges if the
// form names a file.
func ReadGraph(text string, n int) (topology.Spec, error) {
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
	spec, err := ReadGraph(text, n)
	if err != nil {
		return nil, topology.Report{}, err
	}
	return spec.Build(rand.New(rand.NewPCG(seed, 0)))
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
