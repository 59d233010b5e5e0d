package epochs

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Diameter returns the greatest distance of two peers.
func Diameter(graph [][]protocol.Peer) int { return diameter(graph) }

// TwoContributions is the stream that HeldContributions gives a label under which a peer holds two.
const TwoContributions dp.StreamID = 1

// HeldContributions returns the labels of what a peer of gis holds of its first epochs.
func HeldContributions(p protocol.Protocol, epochs uint64) (all []protocol.Label) {
	g := p.(*gis)
	for _, epoch := range g.epochs[:min(epochs, uint64(len(g.epochs)))] {
		for _, s := range epoch {
			if s != nil && s.m.Kind() != 0 {
				l := s.m.Label()
				if s.second.Kind() != 0 {
					l.Stream = TwoContributions
				}
				all = append(all, l)
			}
		}
	}
	return all
}

// Forest returns the next peer on the way from each to a server.
func Forest(g [][]protocol.Peer, server protocol.Peer, absent []protocol.Peer) []protocol.Peer {
	is := make([]bool, len(g))
	for _, p := range absent {
		is[p] = true
	}
	f := newForest(g, server, is)
	return f.Parent
}
