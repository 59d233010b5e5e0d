package epochs

import (
	"peerd.dev/protocol"
)

// Receive processes means, reports and pools.
func (x *sink) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if !x.hub.Linked(from) || x.hub.None() {
		return m.Refuse("from peer %d, want a neighbour", from)
	}
	switch m.Kind() {
	case sinkMeans:
		return x.take(m, out)
	case sinkReport:
		return x.serve(from, m, out)
	case sinkPool:
		return x.collect(from, m, out)
	default:
		return m.Refuse("unknown to protocol sink")
	}
}

// take processes means, which name the absent peers, and forwards them along the ways of the next
// epoch.
func (x *sink) take(m protocol.Message, out *protocol.Outbox) error {
	if x.hub.Here() {
		return m.Refuse("means of mine")
	}
	if m.Refs() > 0 && !x.names(m.Content().Refs[1:]) {
		return m.Refuse("want sites that are absent, ascending")
	}
	news, err := x.learn(&m)
	if news {
		x.turn(out)
	}
	return err
}

// names reports whether labels name sites, ascending, and nothing else.
func (x *sink) names(sites []protocol.Label) bool {
	next := int64(0)
	for _, l := range sites {
		if int64(l.Origin) < next || int64(l.Origin) >= int64(x.c.Peers()) || l.Origin == x.hub.Root() || l != (protocol.Label{Origin: l.Origin}) {
			return false
		}
		next = int64(l.Origin) + 1
	}
	return true
}

// serve processes a report at a sink, or forwards it to one. A site that lacks means gets them from
// the first peer on its way that has them. If the site is ahead, this peer asks for the means that
// it lacks.
func (x *sink) serve(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	origin := m.Label().Origin
	switch {
	case int64(origin) >= int64(x.c.Peers()) || origin == x.hub.Root() || origin == x.c.Self || from == x.hub.Root():
		return m.Refuse("from peer %d, want the sums of a site on their way to its sink", from)
	case m.Refs() != 1 || m.Ref(0).Origin != x.hub.Root() || len(m.Sealed()) > 0 || m.Round() != 0:
		return m.Refuse("want sums and the number of the means that the site holds")
	}
	if err := x.checkContent(&m); err != nil {
		return err
	}
	held := m.Ref(0).Seq
	if next := x.after(held); next != nil {
		out.Send(from, *next)
		return nil
	}
	switch {
	case x.hub.Here():
	case held > x.number():
		x.site.late = true
	case !x.hub.Child(from, x.c.Self):
	case x.collects() && m.Body() > 0:
		x.desk.take(m, x.round)
	default:
		out.Send(x.hub.Next(), m)
	}
	return nil
}

// collect processes a pool, at the server.
func (x *sink) collect(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if err := x.checkPool(&m); err != nil {
		return err
	}
	if !x.hub.Here() || from != m.Label().Origin {
		return m.Refuse("from peer %d, want a pool from its sink, at the server", from)
	}
	if next := x.after(m.Ref(0).Seq); next != nil {
		out.Send(from, *next)
		return nil
	}
	d, i := &x.desk, m.Label().Origin
	if late := d.reported[i] && d.newest[i].Label() == m.Label() && d.newest[i].Refs() > m.Refs(); !late {
		d.take(m, x.round)
	}
	return nil
}

// checkPool refuses a message other than a pool of sites.
func (x *sink) checkPool(m *protocol.Message) error {
	if m.Refs() < 2 || m.Ref(0).Origin != x.hub.Root() || !x.names(m.Content().Refs[1:]) {
		return m.Refuse("want the number of means and the sites of a pool, ascending")
	}
	sites := uint64(m.Refs() - 1)
	if err := x.checkMeans(m); err != nil {
		return err
	}
	for i := range m.Body() {
		switch r := m.Release(i); {
		case r.Count(1) > sites:
			return m.Refuse("release %d: a mean over more than the %d sites of the pool", i, sites)
		case !x.poolable(r, r.Count(1)):
			return m.Refuse("release %d: records or noise beyond what means are computed of", i)
		}
	}
	if !x.c.Press.Authentic(*m) {
		return m.Refuse("not signed by its origin")
	}
	return nil
}
