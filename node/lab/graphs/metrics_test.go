package graphs

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/gossip/topology"
)

// build returns the graph of a short form.
func build(t testing.TB, text string, n int) *topology.Graph {
	t.Helper()
	s, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	s.N = n
	g, _, err := s.Build(rng(1))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// near reports whether got is want up to a relative error.
func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

func TestMeasure(t *testing.T) {
	got := Measure(build(t, "complete", 3))
	if !near(got.Lambda2, 0.5, 1e-12) || !near(got.SpectralGap, 0.5, 1e-12) {
		t.Errorf("three peers: %+v, want λ₂ 0.5", got)
	}
	got.Lambda2, got.SpectralGap = 0, 0
	if want := (Metrics{Peers: 3, Edges: 3, AverageDegree: 2, Diameter: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDisconnectedGraphNeverAgrees(t *testing.T) {
	for _, n := range []int{4, 202} {
		var edges [][2]int
		for i := 0; i < n; i += 2 {
			edges = append(edges, [2]int{i, i + 1})
		}
		got := Measure(mustGraph(t, n, edges))
		if got.Lambda2 != 1 || got.SpectralGap != 0 || got.Diameter != -1 {
			t.Errorf("%+v", got)
		}
	}
}

func TestSinglePeerAgrees(t *testing.T) {
	if got, want := Measure(build(t, "path", 1)), (Metrics{Peers: 1, SpectralGap: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// connectivity holds the closed forms of μ₂ (Fiedler, 1973).
func connectivity(text string, n int) float64 {
	half := func(x float64) float64 { return 4 * math.Sin(x/2) * math.Sin(x/2) } // 2 − 2 cos x
	switch text {
	case "ring":
		return half(2 * math.Pi / float64(n))
	case "path":
		return half(math.Pi / float64(n))
	case "star":
		return 1
	case "complete":
		return float64(n)
	}
	panic(text)
}

func TestGapHasItsClosedForm(t *testing.T) {
	for _, text := range []string{"ring", "path", "star", "complete"} {
		for _, n := range []int{3, 10, 101, 201} {
			g := build(t, text, n)
			want := connectivity(text, n) / float64(2*g.Size())
			if got := SpectralGap(g); !near(got, want, 1e-8) {
				t.Errorf("%s of %d: gap %.12g, want %.12g", text, n, got, want)
			}
		}
	}
	if got := SpectralGap(build(t, "path", 2)); !near(got, 1, 1e-12) {
		t.Errorf("two peers: gap %v, want 1", got)
	}
	g := build(t, "ring", 10_000)
	if got, want := SpectralGap(g), connectivity("ring", 10_000)/20_000; !near(got, want, 1e-8) {
		t.Errorf("ring of 10,000: gap %.12g, want %.12g", got, want)
	}
}

func TestSparseAgreesWithDense(t *testing.T) {
	texts := []string{
		"ring", "path", "star", "complete", "grid", "grid(3)", "gnp(0.1)", "regular(2)", "regular(6)",
	}
	for _, text := range texts {
		for _, n := range []int{8, 60, 300} {
			if text == "gnp(0.1)" && n == 8 {
				continue // too sparse to be connected
			}
			g := build(t, text, n)
			want, ok := denseConnectivity(g)
			if got := sparseConnectivity(g); !ok || !near(got, want, 1e-8) {
				t.Errorf("%s of %d: sparse %.12g, dense %.12g", text, n, got, want)
			}
		}
	}
}

// denseConnectivity returns μ₂ from all eigenvalues of the Laplacian, and false
// if LAPACK's iteration fails.
func denseConnectivity(g *topology.Graph) (float64, bool) {
	l := mat.NewSymDense(g.N(), nil)
	for i := range g.N() {
		l.SetSym(i, i, float64(g.Degree(i)))
		for _, j := range g.Neighbours(i) {
			l.SetSym(i, j, -1)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(l, false) {
		return 0, false
	}
	return eig.Values(nil)[1], true
}
