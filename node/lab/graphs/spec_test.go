package graphs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/gossip/topology"
)

// anySpec draws a Spec that can be built. None is so sparse that 100 draws of a random graph may
// all be disconnected.
func anySpec(t *rapid.T) Spec {
	n := rapid.IntRange(5, 40).Draw(t, "n")
	s := Spec{N: n, Name: rapid.SampledFrom(table()).Draw(t, "row").name}
	dense := rapid.Float64Range(0.6, 1)
	switch s.Name {
	case "grid":
		s.Cols = rapid.IntRange(0, n).Draw(t, "cols")
	case "gnp":
		s.P = dense.Draw(t, "p")
	case "regular":
		s.Degree = rapid.IntRange(2, n-1).Draw(t, "degree")
		s.Degree -= s.Degree % 2 * (n % 2)
	case "hub":
		s.Components = []int{rapid.IntRange(1, n-1).Draw(t, "components")}
		if rest := n - 1; rapid.Bool().Draw(t, "sizes") && rest > 1 {
			some := rapid.IntRange(1, rest-1).Draw(t, "size")
			s.Components = []int{some, rest - some}
		}
		s.Component = rapid.SampledFrom([]*Spec{{Name: "ring"}, {Name: "complete"}, {Name: "star"}, {Name: "gnp", P: .9}, {Name: "grid", Cols: 1}}).Draw(t, "component")
	case "file":
		s.File = rapid.String().Draw(t, "file")
		s.Edges = path(s, nil)
	}
	return s
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestBuiltGraphIsSimpleSortedAndConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		g, _, err := s.Build(rng(rapid.Uint64().Draw(t, "seed")))
		if err != nil {
			t.Fatal(err)
		}
		last := [2]int{-1, -1}
		for _, e := range g.Edges() {
			if e[0] >= e[1] || e[0] < last[0] || e[0] == last[0] && e[1] <= last[1] {
				t.Fatalf("%v after %v", e, last)
			}
			if !slices.Contains(g.Neighbours(e[0]), e[1]) || !slices.Contains(g.Neighbours(e[1]), e[0]) {
				t.Fatalf("%v is missing from a neighbour's list", e)
			}
			last = e
		}
		if g.N() != s.N || !g.Connected() {
			t.Fatalf("%v: %v, connected %v", s, g, g.Connected())
		}
	})
}

func TestSameSeedSameGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, seed := anySpec(t), rapid.Uint64().Draw(t, "seed")
		a, ra, errA := s.Build(rng(seed))
		b, rb, errB := s.Build(rng(seed))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if !slices.Equal(a.Edges(), b.Edges()) || ra != rb {
			t.Fatalf("%v, seed %d: two graphs", s, seed)
		}
	})
}

// TestWhatIsNotDrawnNeedsNoGenerator: specs that are not drawn build without a generator.
// [TestOtherSeedOtherGraph] shows that the others depend on the seed.
func TestWhatIsNotDrawnNeedsNoGenerator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if s := anySpec(t); !s.Drawn() {
			if _, _, err := s.Build(nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestFixedTopologies(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want [][2]int
	}{
		{Spec{Name: "ring", N: 4}, [][2]int{{0, 1}, {0, 3}, {1, 2}, {2, 3}}},
		{Spec{Name: "path", N: 1}, nil},
		{Spec{Name: "path", N: 3}, [][2]int{{0, 1}, {1, 2}}},
		{Spec{Name: "star", N: 4}, [][2]int{{0, 1}, {0, 2}, {0, 3}}},
		{Spec{Name: "complete", N: 3}, [][2]int{{0, 1}, {0, 2}, {1, 2}}},
		{Spec{Name: "grid", N: 5}, [][2]int{{0, 1}, {0, 3}, {1, 2}, {1, 4}, {3, 4}}},
		{Spec{Name: "grid", N: 4, Cols: 1}, [][2]int{{0, 1}, {1, 2}, {2, 3}}},
		{Spec{Name: "hub", N: 6, Components: []int{2}, Component: &Spec{Name: "ring"}}, [][2]int{{0, 1}, {0, 5}, {1, 5}, {2, 3}, {2, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}}},
		{Spec{Name: "hub", N: 6, Components: []int{3, 1, 1}, Component: &Spec{Name: "complete"}}, [][2]int{{0, 1}, {0, 2}, {0, 5}, {1, 2}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}},
		{Spec{Name: "hub", N: 6, Components: []int{1}, Component: &Spec{Name: "star"}}, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}},
		{Spec{Name: "file", Edges: [][2]int{{2, 1}, {0, 1}}}, [][2]int{{0, 1}, {1, 2}}},
		{Spec{Name: "file", N: 1}, nil},
	} {
		g, _, err := c.spec.Build(rng(1))
		if err != nil {
			t.Errorf("%v: %v", c.spec, err)
			continue
		}
		if !slices.Equal(g.Edges(), c.want) {
			t.Errorf("%v: edges %v, want %v", c.spec, g.Edges(), c.want)
		}
	}
}

func TestErrorsNameTheFieldAndItsRange(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Name: "rnig", N: 3}, `there is no topology "rnig"; there are ring, path, star, complete, grid[(cols)], gnp(p), regular(degree), hub(components,component), file[(file)]`},
		{Spec{Name: "ring", N: 2}, "ring: n is 2, must be at least 3"},
		{Spec{Name: "file", N: -1}, "file: n is -1, must be at least 0"},
		{Spec{Name: "grid", N: 5, Cols: 6}, "grid: cols is 6, must be from 0 to 5 when n is 5"},
		{Spec{Name: "gnp", N: 5}, "gnp: p is 0, must be from 1e-09 to 1 when n is 5"},
		{Spec{Name: "gnp", N: 5, P: math.NaN()}, "gnp: p is NaN, must be from 1e-09 to 1 when n is 5"},
		{Spec{Name: "regular", N: 5, Degree: 5}, "regular: degree is 5, must be from 2 to 4 when n is 5"},
		{Spec{Name: "regular", N: 5, Degree: 3}, "regular: degree is 3, must be even when n is odd, as 5 is"},
		{Spec{Name: "hub", N: 5, Components: []int{5}, Component: &Spec{Name: "ring"}}, "hub: components is 5, must be from 1 to 4 when n is 5"},
		{Spec{Name: "hub", N: 5, Components: []int{3, 2}, Component: &Spec{Name: "star"}}, "hub(3+2,star): components have 5 peers, must have n − 1, which is 4"},
		{Spec{Name: "hub", N: 5, Components: []int{4, 0}, Component: &Spec{Name: "star"}}, "hub: components is 0, must be from 1 to 4 when n is 5"},
		{Spec{Name: "hub", N: 5, Components: []int{1}, Component: &Spec{Name: "gnp"}}, "gnp: p is 0, must be from 1e-09 to 1 when n is 4"},
		{Spec{Name: "hub", N: 5, Components: []int{1}, Component: &Spec{Name: "file", File: "a.txt"}}, "file(a.txt): 4 peers (0..3) need at least 3 edges, there are 0"},
		{Spec{Name: "hub", N: 5}, "hub: write hub(components,component), as in hub(3,ring) or hub(10+5,complete)"},
		{Spec{Name: "hub", N: 101, Components: []int{1}, Component: &Spec{Name: "gnp", P: .01}}, "gnp(0.01): not connected in any of 100 draws with n 100; raise p"},
		{Spec{Name: "file"}, "file: there are neither edges nor n"},
		{Spec{Name: "file", File: "a.txt", Edges: [][2]int{{0, 1 << 60}}}, "file(a.txt): 1152921504606846977 peers (0..1152921504606846976) need at least 1152921504606846976 edges, there are 1"},
		{Spec{Name: "file", N: 2, Edges: [][2]int{{0, 1}, {1, 2}}}, "edge 1-2: peers are 0..1"},
		{Spec{Name: "file", Edges: [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}}}, "file: not connected: peer 3 cannot be reached from peer 0"},
		{Spec{Name: "gnp", N: 100, P: 0.01}, "gnp(0.01): not connected in any of 100 draws with n 100; raise p"},
	} {
		_, _, err := c.spec.Build(rng(1))
		if err == nil || err.Error() != "topology: "+c.want {
			t.Errorf("%+v:\n got %v\nwant topology: %s", c.spec, err, c.want)
		}
	}
}

func TestRedrawsAreReported(t *testing.T) {
	// At p = ln N / N about e^(−1) of all graphs are connected.
	s := Spec{Name: "gnp", N: 50, P: math.Log(50) / 50}
	total := 0
	for seed := range uint64(20) {
		_, report, err := s.Build(rng(seed))
		if err != nil {
			t.Fatal(err)
		}
		total += report.Redraws
	}
	if total < 10 || total > 100 {
		t.Errorf("%d redraws for 20 graphs, expected about 34", total)
	}
}

// TestComponentsOfAHubAreConnected without the last peer, to which all are joined: there are as
// many as wanted, of the wanted sizes, also if they are drawn.
func TestComponentsOfAHubAreConnected(t *testing.T) {
	for _, c := range []struct {
		components, sizes []int
		component         Spec
	}{
		{[]int{5}, []int{8, 8, 8, 8, 8}, Spec{Name: "gnp", P: 0.2}},
		{[]int{3}, []int{13, 13, 14}, Spec{Name: "ring"}},
		{[]int{20, 15, 5}, []int{20, 15, 5}, Spec{Name: "gnp", P: 0.3}},
		{[]int{40}, slices.Repeat([]int{1}, 40), Spec{Name: "complete"}},
	} {
		s, redraws := Spec{Name: "hub", N: 41, Components: c.components, Component: &c.component}, 0
		for seed := range uint64(20) {
			g, r, err := s.Build(rng(seed))
			if err != nil {
				t.Fatal(err)
			}
			redraws += r.Redraws
			if len(g.Neighbours(40)) != 40 {
				t.Errorf("%v: the last peer has %d neighbours, want all 40", s, len(g.Neighbours(40)))
			}
			first := 0
			for _, n := range c.sizes {
				var edges [][2]int
				for _, e := range g.Edges() {
					switch in := e[0] >= first && e[0] < first+n; {
					case e[1] == 40:
					case in != (e[1] >= first && e[1] < first+n):
						t.Errorf("%v: %v joins components", s, e)
					case in:
						edges = append(edges, [2]int{e[0] - first, e[1] - first})
					}
				}
				if part, err := topology.NewGraph(n, edges); err != nil || !part.Connected() {
					t.Errorf("%v, seed %d: the component from peer %d is not connected, %v", s, seed, first, err)
				}
				first += n
			}
		}
		if redraws > 0 != (c.component.Name == "gnp") {
			t.Errorf("%v: %d redraws", s, redraws)
		}
	}
}
