package network

import (
	"slices"
	"testing"
)

// TestALinkThatNobodyCanDialIsNone: two peers without addresses have no link as long as the other links connect all peers; else it opens
// once one of them moves.
func TestALinkThatNobodyCanDialIsNone(t *testing.T) {
	for _, x := range []struct {
		gone   bool
		dialed []int
		want   [][2]int
	}{
		{false, []int{0}, [][2]int{{0, 1}, {0, 2}}},
		{false, []int{0, 1}, [][2]int{{0, 1}, {0, 2}, {1, 2}}},
		{true, nil, [][2]int{{1, 2}}},
		{true, []int{2}, [][2]int{{1, 2}}},
	} {
		d, _ := peers(3, 1, 1)
		if x.gone {
			d.Peers[0].Standing = Gone
		}
		for i := range d.Peers {
			if !slices.Contains(x.dialed, i) {
				d.Peers[i].Addrs = nil
			}
		}
		if got := d.Edges(); !slices.Equal(got, x.want) {
			t.Errorf("%+v: %v", x, got)
		}
	}
}
