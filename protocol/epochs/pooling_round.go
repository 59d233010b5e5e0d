package epochs

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Tick sends a site's report and a sink's pool; at the hub it sends the answer.
func (x *pooling) Tick(t protocol.Round, out *protocol.Outbox) error {
	x.round, x.stale = t+1, true
	switch {
	case x.hub.Here():
		return x.answer(out)
	case x.hub.Reached():
		x.report(out)
		return x.send(out)
	default:
		return x.endAlone()
	}
}

// report sends the own sums when they are due, and again every patience rounds without an answer. With two levels they are
// put on the own desk too. A site that only lacks means asks for them.
func (x *pooling) report(out *protocol.Outbox) {
	s := &x.site
	if !s.Due(x.round, x.isDue(), x.patience) {
		if s.late && !s.Waiting {
			s.late = false
			x.ask(out)
		}
		return
	}
	if !x.takesPart(x.c.Self, x.number()+1) {
		x.ask(out)
		return
	}
	own := x.request(x.ofReport, s.leaves, s.report())
	if x.levels == 2 {
		x.desk.Take(own, x.round)
	}
	if !x.collects() {
		out.Send(x.hub.Next(), own)
	}
}

// answer computes means from what is on the desk, when they are due, and sends them.
func (x *pooling) answer(out *protocol.Outbox) error {
	d := &x.desk
	if !d.Begun() {
		return nil
	}
	var of [][]dp.Release
	in := d.Reported
	if x.levels == 2 {
		of, in = x.pools()
	}
	complete, epoch := true, x.next()
	var absent []protocol.Label
	for i := range in {
		if p := protocol.Peer(i); !in[i] && p != x.c.Self {
			absent = append(absent, protocol.Label{Origin: p})
			complete = complete && (x.absent[i] || !x.hub.Reaches(p) || !x.takesPart(p, epoch))
		}
	}
	if !complete && x.round < d.Began+protocol.Round(uint64(x.levels)*x.deadline) {
		return nil
	}
	if x.levels == 1 {
		of, absent = x.sums(), nil
	}
	body, err := x.pool(of)
	if err != nil {
		return err
	}
	x.keep(x.meansOf(epoch, body, absent...))
	x.turn(out)
	return nil
}

// sums returns the sums of sites, with schedule epochs of the sites that wait for the answer only.
func (x *pooling) sums() (of [][]dp.Release) {
	for i := range x.desk.Newest {
		if !x.byEpoch || x.desk.Reported[i] {
			of = append(of, x.desk.Newest[i].Content().Body)
		}
	}
	return of
}
