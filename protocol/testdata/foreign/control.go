// Package foreign is a learner and a protocol of another module that share memory. The protocol sends what its streams
// release, and must compile.
package foreign

import (
	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

var seen []float64

type learner struct{ bandit.Arms }

func (l learner) Update(p bandit.Pull, u []float64) []float64 {
	seen = append(seen, float64(p.Reward))
	return l.Arms.Update(p, u)
}

type peer struct {
	protocol.Protocol
	c    protocol.Config
	kept []dp.Release
}

func (p *peer) Released(own []protocol.Own, out *protocol.Outbox) error {
	for _, o := range own {
		p.kept = append(p.kept, o.Leaf.Sum)
	}
	out.Send(p.c.Neighbours()[0], p.c.Press.Message(protocol.Content{Kind: protocol.FirstFree, Body: p.kept}))
	return nil
}

func (p *peer) Save() (protocol.State, error) { return protocol.Saved(nil, p.kept...), nil }

func (p *peer) Load(s protocol.State) error {
	p.kept = s.Releases()
	return nil
}

var _ protocol.Protocol = (*peer)(nil)

// compiles
