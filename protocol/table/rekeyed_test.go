package table_test

import (
	"math"
	"slices"
	"testing"

	"peerd.dev/bandit/belief"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

// rekeyed are keys of peers of whom peer 0, which has a role where there is one, has replaced its key.
type rekeyed struct{ self protocol.Peer }

func (k rekeyed) of(p protocol.Peer) protocoltest.Keys {
	if p == 0 {
		return 1000
	}
	return protocoltest.Keys(p)
}

func (k rekeyed) Sign(b []byte) []byte { return k.of(k.self).Sign(b) }

func (k rekeyed) Verify(p protocol.Peer, b, sig []byte) bool {
	return k.of(p).Verify(protocol.Peer(k.of(p)), b, sig)
}

func (k rekeyed) Seal(to protocol.Peer, b []byte) ([]byte, error) {
	return k.of(k.self).Seal(protocol.Peer(k.of(to)), b)
}

func (k rekeyed) Open(sealed []byte) ([]byte, error) { return k.of(k.self).Open(sealed) }

// believes reports, of all peers except peer 0, whose belief contains what peer 0 has released.
func believes(n *protocoltest.Network) (all []bool) {
	for _, p := range n.Peers[1:] {
		seen := false
		for _, sites := range p.Protocol.Belief().Sites {
			seen = seen || slices.ContainsFunc(sites, func(s belief.Site) bool { return s.Peer == 0 })
		}
		all = append(all, seen)
	}
	return all
}

// TestPeersGoOnWithAReplacedKey: what its owner signed with the former key is believed no more, and the owner signs it again. So no
// honest message is refused, peers go on to release, and what the owner has released stays in the estimates of others.
func TestPeersGoOnWithAReplacedKey(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		s := conforming(e, 1)
		n := protocoltest.New(t, s)
		play := n.Choices(s.Seed)
		leaves := make([]int, len(n.Peers))
		var before []bool
		for round := range 60 {
			if round == 20 {
				before = believes(n)
				n.Take() // links are opened again
				n.Keys = func(self protocol.Peer) protocol.Keys { return rekeyed{self} }
				for i := range n.Peers {
					n.Restart(t, i, 0)
					leaves[i] = n.Peers[i].Leaves()
				}
			}
			n.Play(t, play)
		}
		for i, p := range n.Peers {
			if p.Leaves() == leaves[i] && leaves[i] > 0 && !p.Over() {
				t.Errorf("peer %d releases nothing any more", i)
			}
		}
		for i, now := range believes(n) {
			if before[i] && !now {
				t.Errorf("peer %d has nothing any more of the peer that replaced its key", i+1)
			}
		}
	})
}

// known returns of how many parts each peer believes something.
func known(n *protocoltest.Network) (all []int) {
	for _, p := range n.Peers {
		parts := 0
		for _, v := range p.Protocol.Belief().SampleVar {
			if !math.IsInf(v, 1) {
				parts++
			}
		}
		all = append(all, parts)
	}
	return all
}

// TestTheLastIsSignedAgain: after the end of the horizon nothing newer takes the place of what a replaced key signed.
func TestTheLastIsSignedAgain(t *testing.T) {
	everyEntry(t, func(t *testing.T, e protocol.Params) {
		for seed := range uint64(len(settings(e))) {
			s := conforming(e, seed)
			n := protocoltest.New(t, s)
			play := n.Choices(s.Seed)
			for range 200 {
				n.Play(t, play)
			}
			before, seen := known(n), believes(n)
			n.Take()
			n.Keys = func(self protocol.Peer) protocol.Keys { return rekeyed{self} }
			for i := range n.Peers {
				n.Restart(t, i, 0)
			}
			for range 60 {
				n.Play(t, play)
			}
			if after := known(n); !slices.Equal(after, before) || !slices.Equal(believes(n), seen) {
				t.Errorf("%+v: peers know of %v parts, want %v as before; of peer 0 they have %v, want %v", s.Params, after, before, believes(n), seen)
			}
		}
	})
}
