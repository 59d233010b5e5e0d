package network

import (
	"slices"
	"testing"
)

// TestALinkThatNobodyCanDialIsNone: two peers without addresses have no link, in whatever order their records come, as long as the other links
// connect all peers; if none does, it stands, and opens once one of them moves.
func TestALinkThatNobodyCanDialIsNone(t *testing.T) {
	d, _ := peers(3, 1, 1)
	d.Links = [][2]int{{0, 1}, {0, 2}, {1, 2}}
	must(t, d.Check())
	says := func(place int, standing Standing, addrs ...string) *said {
		p := d.Peers[place]
		p.Standing, p.Addrs = standing, addrs
		return &said{peer: p}
	}
	reached := "/ip4/192.0.2.2/tcp/8471"
	for _, x := range []struct {
		records map[int]*said
		want    [][2]int
	}{
		{map[int]*said{1: says(1, Present), 2: says(2, Present)}, [][2]int{{0, 1}, {0, 2}}},
		{map[int]*said{1: says(1, Present, reached), 2: says(2, Present)}, d.Links},
		{map[int]*said{0: says(0, Gone), 1: says(1, Present), 2: says(2, Present)}, [][2]int{{1, 2}}},
		{map[int]*said{0: says(0, Gone), 1: says(1, Present), 2: says(2, Present, reached)}, [][2]int{{1, 2}}},
	} {
		if got := (&chain{d: &d}).view(x.records).Edges(); !slices.Equal(got, x.want) {
			t.Errorf("%v, want %v", got, x.want)
		}
	}
}
