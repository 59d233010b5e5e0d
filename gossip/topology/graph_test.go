package topology

import (
	"slices"
	"testing"
)

// mustGraph returns a graph that the test knows to be right.
func mustGraph(t testing.TB, n int, edges [][2]int) *Graph {
	t.Helper()
	g, err := NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGraphRefusesWhatIsNotSimple(t *testing.T) {
	for _, c := range []struct {
		n     int
		edges [][2]int
		want  string
	}{
		{0, nil, "n is 0, must be at least 1"},
		{3, [][2]int{{0, 1}, {2, 2}}, "edge 2-2: a peer cannot be its own neighbour"},
		{3, [][2]int{{0, 3}}, "edge 0-3: peers are 0..2"},
		{3, [][2]int{{-1, 0}}, "edge -1-0: peers are 0..2"},
		{3, [][2]int{{0, 1}, {1, 2}, {0, 1}}, "edge 0-1: given twice"},
		{3, [][2]int{{1, 2}, {2, 1}}, "edge 1-2: given twice"},
	} {
		_, err := NewGraph(c.n, c.edges)
		if err == nil || err.Error() != "topology: "+c.want {
			t.Errorf("NewGraph(%d, %v): got %v, want %s", c.n, c.edges, err, c.want)
		}
	}
}

func TestEdgesComeSortedLowerEndFirst(t *testing.T) {
	g := mustGraph(t, 5, [][2]int{{4, 3}, {2, 0}, {1, 4}, {0, 1}})
	if want := [][2]int{{0, 1}, {0, 2}, {1, 4}, {3, 4}}; !slices.Equal(g.Edges(), want) {
		t.Errorf("edges %v, want %v", g.Edges(), want)
	}
	if want := []int{1, 3}; !slices.Equal(g.Neighbours(4), want) {
		t.Errorf("neighbours of 4 are %v, want %v", g.Neighbours(4), want)
	}
	if g.N() != 5 || g.Degree(4) != 2 || g.String() != "5 peers, 4 edges" {
		t.Errorf("got N %d, degree of 4 %d, %q", g.N(), g.Degree(4), g)
	}
}

func TestGraphDoesNotChange(t *testing.T) {
	given := [][2]int{{0, 1}, {1, 2}}
	g := mustGraph(t, 3, given)
	given[0][1] = 2
	g.Edges()[0] = [2]int{0, 2}
	if want := [][2]int{{0, 1}, {1, 2}}; !slices.Equal(g.Edges(), want) {
		t.Errorf("edges became %v", g.Edges())
	}
}

func TestConnected(t *testing.T) {
	for _, c := range []struct {
		n     int
		edges [][2]int
		want  bool
	}{
		{1, nil, true},
		{2, nil, false},
		{4, [][2]int{{0, 1}, {2, 3}}, false},
		{4, [][2]int{{0, 1}, {2, 3}, {0, 3}}, true},
	} {
		if got := mustGraph(t, c.n, c.edges).Connected(); got != c.want {
			t.Errorf("%d peers, edges %v: connected %v", c.n, c.edges, got)
		}
	}
}
