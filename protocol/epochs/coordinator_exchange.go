package epochs

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Tick sends a site's report; at the coordinator it sends the answer.
func (x *coordinator) Tick(t protocol.Round, out *protocol.Outbox) error {
	x.round, x.stale = t+1, true
	switch {
	case x.hub.Here():
		return x.answer(out)
	case x.hub.Reached():
		x.report(out)
	default:
		return x.endAlone()
	}
	return nil
}

// report sends the own sums when they are due, and again every Patience rounds without an answer.
func (x *coordinator) report(out *protocol.Outbox) {
	if !x.begins(x.isDue(), out) {
		return
	}
	if !x.takesPart(x.c.Self, x.number()+1) {
		x.ask(nil, out)
		return
	}
	x.ask(x.site.report(), out)
}

// isDue reports whether it is time for a report. With schedule doubling it is sent early enough for
// the answer to arrive in time.
func (x *coordinator) isDue() bool {
	s := &x.site
	if x.byEpoch {
		return s.explored
	}
	for k := range s.sums {
		if s.sums[k].Empty() && !s.over[k] {
			return false
		}
	}
	return (s.bound || x.number() == 0) && x.round+protocol.Round(2*x.hub.Links()-1) >= s.due
}

// Lost implements [protocol.Dependent].
func (x *coordinator) Lost() (needed protocol.Peer, lost bool) {
	return x.hub.Root(), x.hub.Reached() && x.alone()
}

// Receive processes sums and means.
func (x *coordinator) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if !x.hub.Linked(from) || x.hub.None() {
		return m.Refuse("from peer %d, want a neighbour on the way to or from the coordinator", from)
	}
	switch m.Kind() {
	case x.ofMeans:
		return x.take(from, m, out)
	case x.ofReport:
		return x.serve(from, m, out)
	default:
		return m.Refuse("unknown to protocol coordinator")
	}
}

// take processes means and forwards them.
func (x *coordinator) take(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	switch {
	case x.hub.Here() || x.hub.Next() != from:
		return m.Refuse("means from peer %d, want the coordinator's along the way from it", from)
	case m.Refs() > 1:
		return m.Refuse("want no peers named")
	}
	news, err := x.learn(&m)
	if news {
		x.hand(out)
	}
	return err
}

// serve processes sums. A site that lacks means gets them from the first peer on its way that has
// them.
func (x *coordinator) serve(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if err := x.checkSums(from, &m); err != nil {
		return err
	}
	if next := x.after(m.Ref(0).Seq); next != nil {
		out.Send(from, *next)
		return nil
	}
	if !x.hub.Here() {
		out.Send(x.hub.Next(), m)
		return nil
	}
	if m.Body() > 0 {
		x.desk.take(m, x.round)
	}
	return nil
}

// checkSums refuses a message other than the sums of a site on their way to the coordinator.
func (x *coordinator) checkSums(from protocol.Peer, m *protocol.Message) error {
	origin := m.Label().Origin
	if !x.hub.Passes(origin, from) {
		return m.Refuse("from peer %d, want the sums of a site on their way to the coordinator", from)
	}
	if m.Refs() != 1 || m.Ref(0).Origin != x.hub.Root() || len(m.Sealed()) > 0 || m.Round() != 0 {
		return m.Refuse("want sums and the number of the means that the site holds")
	}
	if epoch := m.Ref(0).Seq + 1; m.Body() > 0 && !x.takesPart(origin, epoch) {
		return m.Refuse("peer %d takes no part in epoch %d", origin, epoch)
	}
	return x.checkContent(m)
}

// takesPart reports whether a site reports in an epoch.
func (x *coordinator) takesPart(p protocol.Peer, epoch uint64) bool {
	if x.participation == 1 {
		return true
	}
	place := p // among the sites
	if p > x.hub.Root() {
		place--
	}
	return drawn(&x.c, x.participation, x.c.Peers()-1, epoch)[place]
}

// answer computes means from the reports of sites, when they are due, and sends them.
func (x *coordinator) answer(out *protocol.Outbox) error {
	d := &x.desk
	if !d.begun() || !x.complete() && x.round < d.began+protocol.Round(x.deadline) {
		return nil
	}
	var sums [][]dp.Release
	for i := range d.newest {
		if !x.byEpoch || d.reported[i] {
			sums = append(sums, d.newest[i].Content().Body)
		}
	}
	body, err := x.pool(sums)
	if err != nil {
		return err
	}
	m := x.meansOf(x.next(), body)
	clear(d.reported)
	x.keep(m)
	x.hand(out)
	return nil
}

// complete reports whether all sites that take part have reported.
func (x *coordinator) complete() bool {
	epoch := x.next()
	for i, reported := range x.desk.reported {
		if !reported && protocol.Peer(i) != x.c.Self && x.hub.Reaches(protocol.Peer(i)) && x.takesPart(protocol.Peer(i), epoch) {
			return false
		}
	}
	return true
}
