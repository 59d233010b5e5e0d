package epochs

import "peerd.dev/protocol"

// Receive processes means, reports and pools.
func (x *pooling) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if !x.hub.Linked(from) || x.hub.None() {
		return m.Refuse("from peer %d, want a neighbour", from)
	}
	switch {
	case m.Kind() == x.ofMeans:
		return x.take(from, m, out)
	case m.Kind() == x.ofReport:
		return x.serve(from, m, out)
	case m.Kind() == sinkPool && x.levels == 2:
		return x.collect(from, m, out)
	default:
		return m.Refuse("unknown to this protocol")
	}
}

// take processes means and forwards them. With two levels they name the absent peers, and ways lead round
// these in the next epoch.
func (x *pooling) take(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	switch {
	case x.hub.Here():
		return m.Refuse("means of mine")
	case x.levels == 1 && x.hub.Next() != from:
		return m.Refuse("means from peer %d, want the hub's along the way from it", from)
	case m.Refs() > 1 && (x.levels == 1 || !x.names(m.Content().Refs[1:])):
		return m.Refuse("want no peers named but sites that are absent, ascending")
	}
	news, err := x.learn(&m)
	if news {
		x.turn(out)
	}
	return err
}

// serve processes a report where it is pooled, or forwards it. A site that lacks means gets them from
// the first peer on its way that has them. With two levels, if the site is ahead, this peer asks for the
// means that it lacks.
func (x *pooling) serve(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if err := x.checkReport(from, &m); err != nil {
		return err
	}
	held := m.Ref(0).Seq
	if next := x.after(held); next != nil {
		out.Send(from, *next)
		return nil
	}
	switch {
	case x.levels == 2 && x.hub.Here():
	case x.levels == 2 && held > x.number():
		x.site.late = true
	case !x.hub.Child(from, x.c.Self):
	case (x.hub.Here() || x.collects()) && m.Body() > 0:
		x.desk.Take(m, x.round)
	case !x.hub.Here():
		out.Send(x.hub.Next(), m)
	}
	return nil
}

// checkReport refuses a message other than the sums of a site on their way to where they are pooled.
func (x *pooling) checkReport(from protocol.Peer, m *protocol.Message) error {
	origin := m.Label().Origin
	switch {
	case int64(origin) >= int64(x.c.Peers()) || origin == x.hub.Root() || origin == x.c.Self || from == x.hub.Root(),
		x.levels == 1 && !x.hub.Passes(origin, from):
		return m.Refuse("from peer %d, want the sums of a site on their way to the hub", from)
	case m.Refs() != 1 || m.Ref(0).Origin != x.hub.Root() || len(m.Sealed()) > 0 || m.Round() != 0:
		return m.Refuse("want sums and the number of the means that the site holds")
	}
	if epoch := m.Ref(0).Seq + 1; m.Body() > 0 && !x.takesPart(origin, epoch) {
		return m.Refuse("peer %d takes no part in epoch %d", origin, epoch)
	}
	return x.checkContent(m)
}
