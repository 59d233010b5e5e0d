package graphs

import (
	"slices"
	"strings"
	"testing"

	"peerd.dev/gossip/topology"
)

// mustGraph returns a graph that the test knows to be right.
func mustGraph(t testing.TB, n int, edges [][2]int) *topology.Graph {
	t.Helper()
	g, err := topology.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestParseReadsWhatAFileHolds(t *testing.T) {
	got, err := Parse(strings.NewReader("# a square\n0 1\n\n 3\t2 # backwards\r\n1 2\n3 0"))
	if want := [][2]int{{0, 1}, {0, 3}, {1, 2}, {2, 3}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestParseNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"0 1\n2":                             `line 2: want two peers, as in "0 1", got "2"`,
		"0 1 2":                              `line 1: want two peers, as in "0 1", got "0 1 2"`,
		"#\n\n0 x":                           `line 3: a peer is a whole number from 0 up, got "x"`,
		"-1 0":                               `line 1: a peer is a whole number from 0 up, got "-1"`,
		"0 99999999999999999999":             `line 1: a peer is a whole number from 0 up, got "99999999999999999999"`,
		"7 7":                                `line 1: peer 7 cannot be its own neighbour`,
		"0 1\n1 2\n1 0":                      `line 3: edge 0-1 was given on line 1`,
		"0 1\n" + strings.Repeat("0", 1<<17): `line 2: bufio.Scanner: token too long`,
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil || err.Error() != "topology: "+want {
			t.Errorf("%.20q: got %v, want %s", text, err, want)
		}
	}
}
