// Package graphs draws and reads graphs, which say which peers of an experiment or a testnet are linked, and measures how
// fast gossip mixes on them.
//
// A graph is a function of its [Spec] and of the random numbers it is
// given. Nothing here uses the clock or the network, and no result depends on the order
// of a map. Edges come sorted, the lower end first.
package graphs

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/gossip/topology"
)

// maxDraws bounds how often a random graph is drawn to get a connected one.
const maxDraws = 100

// A Spec describes a graph to build. Its Name picks a row of the table, and each row uses some of
// the other fields.
type Spec struct {
	Name   string  // ring, path, star, complete, grid, gnp, regular, hub or file
	N      int     // peers; file: 0 means as many as the edges name
	Degree int     // regular: neighbours of each
	P      float64 // gnp: probability of an edge
	Cols   int     // grid: peers a row; 0 means ⌈√N⌉
	// Components of a hub: a single number is how many there are, of about equal size; several
	// numbers are the components' sizes in peers.
	Components []int
	Component  *Spec    // hub: the graph of each component, without N
	File       string   // file: where the caller has read Edges from; Build does not read it
	Edges      [][2]int // file: as from [Parse]
}

// A Report says how a graph was built.
type Report struct {
	Redraws int // graphs discarded because they were not connected
}

// Validate checks every field that the row uses. Its error names the field, its value and the values allowed.
func (s Spec) Validate() error {
	f, ok := find(s.Name)
	if !ok {
		return unknown(s.Name)
	}
	if s.N < f.leastN {
		return fmt.Errorf("topology: %s: n is %d, must be at least %d", s.Name, s.N, f.leastN)
	}
	return f.check(s)
}

// Drawn reports whether Build's graph is random.
func (s Spec) Drawn() bool {
	if s.Name == "gnp" || s.Name == "regular" {
		return true
	}
	return s.Component != nil && s.Component.Drawn()
}

// Build checks s and returns its graph, which is connected. A random graph that is not connected
// is drawn again, up to 100 times, so its distribution is the family's, given that the graph is
// connected. Equal Specs and equal generators give equal graphs; rng may be nil if the Spec is
// not [Spec.Drawn].
func (s Spec) Build(rng *rand.Rand) (*topology.Graph, Report, error) {
	if err := s.Validate(); err != nil {
		return nil, Report{}, err
	}
	f, _ := find(s.Name)
	if s.Name == "hub" {
		return s.hub(rng)
	}
	for redraws := range maxDraws {
		g, err := topology.NewGraph(s.peers(), f.draw(s, rng))
		if err != nil {
			return nil, Report{}, err
		}
		lost := g.Unreachable()
		if lost < 0 {
			return g, Report{Redraws: redraws}, nil
		}
		if f.raise == "" {
			return nil, Report{}, fmt.Errorf("topology: %s: not connected: peer %d cannot be reached from peer 0", s, lost)
		}
	}
	return nil, Report{}, fmt.Errorf("topology: %s: not connected in any of %d draws with n %d; raise %s", s, maxDraws, s.N, f.raise)
}

// peers returns N or, if it is 0, how many peers the edges of a file name.
func (s Spec) peers() int {
	n := s.N
	if n == 0 {
		for _, e := range s.Edges {
			n = max(n, e[0]+1, e[1]+1)
		}
	}
	return n
}
