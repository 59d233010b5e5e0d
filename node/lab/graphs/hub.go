package graphs

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"peerd.dev/gossip/topology"
)

// hub builds components of the other peers, one after another, and joins all of these peers to
// the last peer. So peers have the same numbers as without the hub.
func (s Spec) hub(rng *rand.Rand) (*topology.Graph, Report, error) {
	edges, report := make([][2]int, 0, 2*s.N), Report{}
	first := 0
	for _, n := range s.sizes() {
		g, r, err := s.component(n).Build(rng)
		if err != nil {
			return nil, Report{}, err
		}
		report.Redraws += r.Redraws
		for _, e := range g.Edges() {
			edges = append(edges, [2]int{first + e[0], first + e[1]})
		}
		for range n {
			edges = append(edges, [2]int{first, s.N - 1})
			first++
		}
	}
	g, err := topology.NewGraph(s.N, edges)
	return g, report, err
}

// sizes returns how many peers each component of a hub has.
func (s Spec) sizes() []int {
	if len(s.Components) != 1 {
		return s.Components
	}
	of := s.Components[0]
	sizes := make([]int, of)
	for c := range sizes {
		sizes[c] = (c+1)*(s.N-1)/of - c*(s.N-1)/of
	}
	return sizes
}

// component returns the Spec of a component of n peers, which is a path if they are too few for
// the family.
func (s Spec) component(n int) Spec {
	c := *s.Component
	if f, _ := find(c.Name); n < f.leastN {
		return Spec{Name: "path", N: n}
	}
	c.N = n
	return c
}

func checkHub(s Spec) error {
	if s.Component == nil || len(s.Components) == 0 {
		return errors.New("topology: hub: write hub(components,component), as in hub(3,ring) or hub(10+5,complete)")
	}
	peers := 0
	for _, n := range s.Components {
		if err := within(s, paramComponents, n, 1, s.N-1); err != nil {
			return err
		}
		peers += n
	}
	if len(s.Components) > 1 && peers != s.N-1 {
		return fmt.Errorf("topology: %s: components have %d peers, must have n − 1, which is %d", s, peers, s.N-1)
	}
	for _, n := range s.sizes() {
		if err := s.component(n).Validate(); err != nil {
			return err
		}
	}
	return nil
}
