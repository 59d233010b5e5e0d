package network

import (
	"slices"
	"testing"
)

// TestALinkThatNobodyCanDialIsNone: two peers without addresses have no link as long as the other links connect all peers.
func TestALinkThatNobodyCanDialIsNone(t *testing.T) {
	all := [][2]int{{0, 1}, {0, 2}, {1, 2}}
	for n, want := range [][][2]int{all, all[:2], all, all} { // the first n have addresses
		d, _ := peers(3, 1, 1)
		for i := n; i < 3; i++ {
			d.Peers[i].Addrs = nil
		}
		if got := d.Edges(); !slices.Equal(got, want) {
			t.Errorf("%d with addresses: %v, want %v", n, got, want)
		}
	}
}
