package epochs

import (
	"slices"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// collects reports whether this peer is a sink.
func (x *pooling) collects() bool { return x.levels == 2 && x.hub.Child(x.c.Self, x.hub.Root()) }

// send sends the pool of the reports on the desk to the server when it is due; again every Patience
// rounds without an answer.
func (x *pooling) send(out *protocol.Outbox) error {
	d := &x.desk
	switch {
	case !d.Begun() || !x.hub.Linked(x.hub.Root()) || x.pooled > 0 && x.round < x.pooled+protocol.Round(x.patience):
		return nil
	case x.collects() && x.filled():
	case x.round >= d.Began+protocol.Round(x.deadline):
	default:
		return nil
	}
	var of [][]dp.Release
	var sites []protocol.Label
	for i, reported := range d.Reported {
		if reported {
			of, sites = append(of, d.Newest[i].Content().Body), append(sites, protocol.Label{Origin: protocol.Peer(i)})
		}
	}
	body, err := x.pool(of)
	if err != nil {
		return err
	}
	x.pooled = x.round
	out.Send(x.hub.Root(), x.request(sinkPool, x.site.leaves, body, sites...))
	return nil
}

// filled reports whether all sites of this sink have reported, except those that are absent.
func (x *pooling) filled() bool {
	for i, reported := range x.desk.Reported {
		if !reported && !x.absent[i] && x.hub.Over(protocol.Peer(i), x.c.Self) {
			return false
		}
	}
	return true
}

// pools returns disjoint pools, larger ones first, and the sites in them.
func (x *pooling) pools() (of [][]dp.Release, in []bool) {
	var all []protocol.Message
	for i, reported := range x.desk.Reported {
		if reported {
			all = append(all, x.desk.Newest[i])
		}
	}
	slices.SortStableFunc(all, func(a, b protocol.Message) int { return b.Refs() - a.Refs() })
	in = make([]bool, x.c.Peers())
	for _, m := range all {
		sites := m.Content().Refs[1:]
		if slices.ContainsFunc(sites, func(l protocol.Label) bool { return in[l.Origin] }) {
			continue
		}
		for _, l := range sites {
			in[l.Origin] = true
		}
		of = append(of, m.Content().Body)
	}
	return of, in
}

// names reports whether labels name sites, ascending, and nothing else.
func (x *pooling) names(sites []protocol.Label) bool {
	next := int64(0)
	for _, l := range sites {
		if int64(l.Origin) < next || int64(l.Origin) >= int64(x.c.Peers()) || l.Origin == x.hub.Root() || l != (protocol.Label{Origin: l.Origin}) {
			return false
		}
		next = int64(l.Origin) + 1
	}
	return true
}

// collect processes a pool, at the server.
func (x *pooling) collect(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
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
	if late := d.Reported[i] && d.Newest[i].Label() == m.Label() && d.Newest[i].Refs() > m.Refs(); !late {
		d.Take(m, x.round)
	}
	return nil
}

// checkPool refuses a message other than a pool of sites.
func (x *pooling) checkPool(m *protocol.Message) error {
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
