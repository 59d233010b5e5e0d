package network_test

import (
	"encoding/json"
	"math"
	"testing"

	"peerd.dev/node/network"
)

// TestNoNumberFreezesADocument: a ballot that no other can follow is refused when it is shown, forgotten when it is in a
// record of an earlier build, and changes go on.
func TestNoNumberFreezesADocument(t *testing.T) {
	for _, round := range []uint64{math.MaxUint64, 1 << 40, 3} {
		for _, kept := range []bool{false, true} {
			l := newLab(t, 2)
			s := l.sites[0]
			r := s.book.Record()
			r.Asked = network.Ballot{Round: round, Place: len(l.sites) - 1}
			if kept {
				var err error
				if s.disk, err = json.Marshal(r); err != nil {
					t.Fatal(err)
				}
				s.open()
			} else if _, err := s.book.Merge(&r.State); err == nil {
				t.Errorf("round %d is asked for at once", round)
			}
			if err := s.book.Wish(network.Change{Kind: network.Move, Peer: s.name, Addrs: []string{"at elsewhere"}}); err != nil {
				t.Fatal(err)
			}
			if l.settle(2) != 1 || s.book.Newest().Version != 2 {
				t.Errorf("round %d, kept %v: version %d", round, kept, s.book.Newest().Version)
			}
		}
	}
}
