package graphs

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/graphs/gen"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"peerd.dev/gossip/topology"
	"peerd.dev/internal/require"
)

func TestRegularGivesEveryPeerTheSameDegree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 30).Draw(t, "n")
		degree := rapid.IntRange(0, n-1).Draw(t, "degree")
		degree -= degree % 2 * (n % 2)
		g := require.Value(topology.NewGraph(n, regular(Spec{N: n, Degree: degree}, rng(rapid.Uint64().Draw(t, "seed")))))(t)
		for i := range n {
			if g.Degree(i) != degree {
				t.Fatalf("peer %d has degree %d, want %d", i, g.Degree(i), degree)
			}
		}
	})
}

func TestGnpDrawsTheEdgesOfGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{N: rapid.IntRange(1, 60).Draw(t, "n"), P: rapid.Float64Range(leastP, 1).Draw(t, "p")}
		seed := rapid.Uint64().Draw(t, "seed")
		g := simple.NewUndirectedGraph()
		want := require.Value(topology.NewGraph(s.N, ofGonum(t, g, gen.Gnp(g, s.N, s.P, rng(seed)))))(t)
		got, err := topology.NewGraph(s.N, gnp(s, rng(seed)))
		if err != nil || !slices.Equal(got.Edges(), want.Edges()) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
	})
}

// There are 70 graphs of 6 labelled peers and degree 3. Sized for a false-reject
// rate of 1e-6.
func TestRegularIsUniform(t *testing.T) {
	const each = 300
	r := rng(1)
	count := make(map[string]int)
	for range 70 * each {
		count[fmt.Sprint(mustGraph(t, 6, regular(Spec{N: 6, Degree: 3}, r)).Edges())]++
	}
	chi2 := 0.0
	for _, c := range count {
		chi2 += float64((c-each)*(c-each)) / each
	}
	if p := (distuv.ChiSquared{K: 69}).Survival(chi2); len(count) != 70 || p < 1e-6 {
		t.Errorf("%d graphs, chi-square %.1f, p %.2g", len(count), chi2, p)
	}
}

// ofGonum returns the edges that a generator of gonum has put in g, in the order of a map.
func ofGonum(t *rapid.T, g *simple.UndirectedGraph, err error) (edges [][2]int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for it := g.Edges(); it.Next(); {
		e := it.Edge()
		edges = append(edges, [2]int{int(e.From().ID()), int(e.To().ID())})
	}
	return edges
}
