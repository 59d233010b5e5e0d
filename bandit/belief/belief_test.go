package belief_test

import (
	"reflect"
	"testing"

	"peerd.dev/bandit/belief"
)

// TestACopyIsApart: it has the memory of the earlier copy and shares none with what is copied, also where there are more or fewer sites.
func TestACopyIsApart(t *testing.T) {
	sites := []belief.Site{{Peer: 1, N: 4, Sum: []float64{1, 2}}, {Peer: 2, N: 5, Sum: []float64{3, 4}}, {Peer: 3, N: 6, Mean: .5}}
	var to []belief.Site
	for _, n := range []int{2, 3, 1, 3} {
		if to = belief.Copy(to, sites[:n]); !reflect.DeepEqual(to[0].Sum, sites[0].Sum) || len(to) != n || to[n-1].Peer != sites[n-1].Peer || to[n-1].Mean != sites[n-1].Mean {
			t.Fatalf("%+v", to)
		}
	}
	to[0].Sum[0], to[1].Sum[0] = 7, 7
	if sites[0].Sum[0] != 1 || sites[1].Sum[0] != 3 {
		t.Errorf("%+v", sites)
	}
	if n := testing.AllocsPerRun(10, func() { to = belief.Copy(to, sites) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
