package epochs

import (
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/protocol"
)

// Released makes the contribution of the arms that the epoch explored.
func (g *gis) Released(own []protocol.Own, _ *protocol.Outbox) error {
	body, over, err := g.add(own)
	if err != nil {
		return err
	}
	g.over = g.over || over
	g.since, g.waiting = g.round, true
	r := g.belief.Epoch + 1
	if s := g.at(r, g.c.Self); s != nil && s.m.Kind() == 0 && len(body) > 0 {
		g.hold(s, g.c.Press.Signed(protocol.Content{
			Kind: gisData, Label: protocol.Label{Origin: g.c.Self, Incarnation: g.c.Incarnation, Seq: r}, Body: body,
		}))
	}
	g.complete()
	return nil
}

// Tick requests, advertises, and ends an epoch at its deadline.
func (g *gis) Tick(t protocol.Round, out *protocol.Outbox) error {
	g.round = t
	if r := g.belief.Epoch + 1; g.over && !g.waiting && g.begun(r) {
		g.since, g.waiting = t, true
	}
	g.complete()
	g.request(t, out)
	g.advertise(t, out)
	g.round = t + 1
	return nil
}

// Belief merges what has changed.
func (g *gis) Belief() *belief.Belief {
	g.merge()
	return &g.belief
}

// Receive processes advertisements, requests and contributions. It checks all labels before it
// changes anything.
func (g *gis) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	j, ok := slices.BinarySearch(g.c.Neighbours(), from)
	if !ok {
		return m.Refuse("from peer %d, which is no neighbour", from)
	}
	switch m.Kind() {
	case gisData:
		return g.take(j, m, out)
	case gisAdv, gisReq:
	default:
		return m.Refuse("unknown to this protocol")
	}
	if err := g.checkLabels(from, &m); err != nil {
		return err
	}
	if m.Kind() == gisAdv {
		g.hear(j, &m)
	} else {
		g.serve(j, from, &m, out)
	}
	return nil
}
