package batches

import (
	"math"

	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// serve processes a report, or forwards it to the analyzer.
func (x *analyzed) serve(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	origin := m.Label().Origin
	switch {
	case !x.hub.Passes(origin, from):
		return m.Refuse("from peer %d, want the report of a silo on its way to the analyzer", from)
	case m.Refs() != 1 || m.Ref(0).Origin != x.hub.Root():
		return m.Refuse("want the label of the sum that the silo holds")
	}
	if err := x.checkReport(&m); err != nil {
		return err
	}
	if !x.hub.Here() {
		out.Send(x.hub.Next(), m)
		return nil
	}
	d := &x.desk
	d.Reported[origin], d.known[origin], d.Held[origin] = true, true, m.Ref(0)
	if m.Body() == 0 || d.Newest[origin].Kind() != 0 && !protocol.Newer(m.Label(), d.Newest[origin].Label()) {
		return nil
	}
	d.Newest[origin] = m
	for i := range d.owed {
		d.owed[i] = d.owed[i] || protocol.Peer(i) != origin
	}
	return nil
}

// checkReport refuses sums that its origin cannot have released or has not signed.
func (x *analyzed) checkReport(m *protocol.Message) error {
	if err := x.checkBody(m); err != nil {
		return err
	}
	closed := uint64(0)
	for i := range m.Body() {
		r := m.Release(i)
		closed += spread.LeavesOf(r)
		if err := spread.Plausible(&x.c.Charge, m, r); err != nil {
			return err
		}
		if err := spread.PlausibleLeaves(&x.c.Charge, m, r, x.cadence); err != nil {
			return err
		}
		if peers := uint64(x.c.Peers()); r.Count(0) > spread.MostRecords/peers || uint64(r.Noise().VarianceUnits) > math.MaxUint32/peers {
			return m.Refuse("release %d: records or noise beyond what sums are made of", i)
		}
	}
	if m.Body() > 0 && closed != m.Label().Seq {
		return m.Refuse("%d leaves, want %d, the number of the report", closed, m.Label().Seq)
	}
	if !x.c.Press.Authentic(*m) {
		return m.Refuse("not signed by its origin")
	}
	return nil
}

// answer sends sums to the silos that have asked, and every pull rounds to all silos with new
// records to get.
func (x *analyzed) answer(out *protocol.Outbox) error {
	d := &x.desk
	periods := uint64(x.round) / x.pull
	all := periods > d.pulled
	d.pulled = periods
	for i := range d.Reported {
		if due := all && d.owed[i] && d.known[i]; !d.Reported[i] && !due {
			continue
		}
		d.Reported[i] = false
		if err := x.send(protocol.Peer(i), out); err != nil {
			return err
		}
	}
	return nil
}

// send sends a silo the sum over all others; no sum if it has the newest one.
func (x *analyzed) send(silo protocol.Peer, out *protocol.Outbox) error {
	d := &x.desk
	holds := protocol.Label{Origin: silo}
	if own := &d.Newest[silo]; own.Kind() != 0 {
		holds = own.Label()
	}
	var body []dp.Release
	if d.owed[silo] || d.Held[silo] != d.sent[silo] || d.sent[silo].Seq == 0 {
		var err error
		if body, err = x.others(silo); err != nil {
			return err
		}
		if len(body) > 0 {
			d.number++
		}
		d.sent[silo], d.owed[silo] = protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Seq: d.number}, false
	}
	m := x.c.Press.Signed(protocol.Content{Kind: batchOthers, Label: d.sent[silo], Refs: []protocol.Label{holds}, Body: body})
	x.hub.Hand(m, silo, out)
	return nil
}

// others returns the sums over all silos except one, by part.
func (x *analyzed) others(silo protocol.Peer) (body []dp.Release, err error) {
	for k := range x.c.Parts {
		var of []dp.Release
		for i := range x.desk.Newest {
			if x.desk.Newest[i].Kind() == 0 || protocol.Peer(i) == silo {
				continue
			}
			for j := range x.desk.Newest[i].Body() {
				r := x.desk.Newest[i].Release(j)
				if int(r.Stream()) == k {
					of = append(of, *r)
				}
			}
		}
		if len(of) == 0 {
			continue
		}
		sum, err := dp.Total(of)
		if err != nil {
			return nil, err
		}
		body = append(body, sum)
	}
	return body, nil
}
