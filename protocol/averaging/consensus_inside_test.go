package averaging

import (
	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
)

// What the tests of consensus see of its inside.

// Shares returns the state of a peer of consensus, and the flow of each of its links.
func Shares(p protocol.Protocol) (s *averages.Shares, flows []averages.Flow, ok bool) {
	c, ok := p.(*consensus)
	if !ok {
		return nil, nil, false
	}
	return c.shares, c.flows, true
}

// Constants returns what a peer of consensus knows of its matrix.
func Constants(p ConsensusParams, g [][]protocol.Peer, self protocol.Peer) (ci, c0, noiseSq, noiseMax float64) {
	m := newMixing(p, g, self)
	return m.ci, m.c0, m.noiseSq, m.noiseMax
}
