package printed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// TestCliquesCover all peers, each once, and of any two in one clique the one is in the reach of the
// other. They are what a ring of ten is cut into by hand.
func TestCliquesCover(t *testing.T) {
	for hops := range uint64(4) {
		for seed := range uint64(20) {
			g := protocoltest.Random(15, 3, rand.New(rand.NewPCG(seed, 5)))
			far := protocoltest.Distances(g)
			for i := range g {
				own := clique(protocol.Peer(i), batches.Balls(g, hops+1))
				if !own[i] {
					t.Fatalf("peer %d is not in its own clique", i)
				}
				for j, in := range own {
					if in != slices.Equal(own, clique(protocol.Peer(j), batches.Balls(g, hops+1))) || in && far[i][j] > int(hops)+1 {
						t.Errorf("hops %d: peers %d and %d, %d links apart, in one clique: %v", hops+1, i, j, far[i][j], in)
					}
				}
			}
		}
	}
	var cut []string
	for first := 0; first < 10; {
		in := clique(protocol.Peer(first), batches.Balls(protocoltest.Ring(10), 2))
		members := 0
		for _, is := range in {
			members += protocoltest.Count(is)
		}
		cut = append(cut, fmt.Sprint(members))
		first += members
	}
	if want := []string{"3", "3", "3", "1"}; !slices.Equal(cut, want) {
		t.Errorf("cliques of %v, want %v", cut, want)
	}
}
