package graphs

import (
	"fmt"
	"math/rand/v2"
	"os"

	"peerd.dev/gossip/topology"
)

// Read reads the short form of a topology of n peers, and the edges if the
// form names a file.
func Read(text string, n int) (Spec, error) {
	spec, err := ParseSpec(text)
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
	if spec.Edges, err = Parse(f); err != nil {
		return spec, fmt.Errorf("%s: %w", spec.File, err)
	}
	return spec, nil
}

// Build returns the graph of n peers that a text and a seed stand for.
func Build(text string, n int, seed uint64) (*topology.Graph, Report, error) {
	spec, err := Read(text, n)
	if err != nil {
		return nil, Report{}, err
	}
	return spec.Build(rand.New(rand.NewPCG(seed, 0)))
}
