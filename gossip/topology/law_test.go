package topology

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/graphs/gen"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func TestRegularGivesEveryPeerTheSameDegree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 30).Draw(t, "n")
		degree := rapid.IntRange(0, n-1).Draw(t, "degree")
		degree -= degree % 2 * (n % 2)
		g, err := NewGraph(n, regular(Spec{N: n, Degree: degree}, rng(rapid.Uint64().Draw(t, "seed"))))
		if err != nil {
			t.Fatal(err)
		}
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
		want, err := NewGraph(s.N, collect(g, gen.Gnp(g, s.N, s.P, rng(seed))))
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewGraph(s.N, gnp(s, rng(seed)))
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

// gonum's generator fails this: it makes hubs of degree near N at small p.
func TestSmallworldKeepsItsEdgesAndHasNoHubs(t *testing.T) {
	for _, p := range []float64{0, 1e-3, 0.1, 1} {
		g := mustGraph(t, 1000, smallworld(Spec{N: 1000, Degree: 6, P: p}, rng(1)))
		moved, largest := 0, 0
		for _, e := range g.Edges() {
			if hop := e[1] - e[0]; min(hop, 1000-hop) > 3 {
				moved++
			}
		}
		for i := range g.N() {
			largest = max(largest, g.Degree(i))
		}
		// Moved is binomial, up to few that move to near by; five standard
		// deviations are a false-reject rate of 1e-6.
		want, slack := 3000*p, 5*math.Sqrt(3000*p*(1-p))+30*p
		if g.size() != 3000 || math.Abs(float64(moved)-want) > slack || largest > 20 {
			t.Errorf("p %g: %v, %d moved, largest degree %d", p, g, moved, largest)
		}
	}
}

func TestSmallworldOfNearlyAllPairsEnds(t *testing.T) {
	g := mustGraph(t, 7, smallworld(Spec{N: 7, Degree: 6, P: 1}, rng(1)))
	if g.size() != 21 {
		t.Errorf("%v, want the complete graph", g)
	}
}

// The fourth peer joins the middle one of three with probability 1/2, which makes
// a star. Five standard deviations: a false-reject rate of 1e-6.
func TestScalefreePrefersHighDegrees(t *testing.T) {
	const draws = 4000
	r, stars := rng(1), 0
	for range draws {
		g := mustGraph(t, 4, scalefree(Spec{N: 4, Degree: 1}, r))
		if slices.Max([]int{g.Degree(0), g.Degree(1), g.Degree(2), g.Degree(3)}) == 3 {
			stars++
		}
	}
	if math.Abs(float64(stars)-draws/2) > 5*math.Sqrt(draws)/2 {
		t.Errorf("%d stars in %d draws, expected half", stars, draws)
	}
}

func TestClustersAreBlocksInACircle(t *testing.T) {
	g := mustGraph(t, 11, clusters(Spec{N: 11, Clusters: 4, P: 1}, rng(1)))
	block := []int{0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}
	bridges := make(map[[2]int]int)
	for _, e := range g.Edges() {
		if a, b := block[e[0]], block[e[1]]; a != b {
			bridges[[2]int{a, b}]++
		}
	}
	want := map[[2]int]int{{0, 1}: 1, {1, 2}: 1, {2, 3}: 1, {0, 3}: 1}
	if fmt.Sprint(bridges) != fmt.Sprint(want) || g.size() != 1+3+3+3+4 {
		t.Errorf("%v, bridges %v, want %v", g, bridges, want)
	}
}
