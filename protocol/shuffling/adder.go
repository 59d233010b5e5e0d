package shuffling

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// analyze stores a part of a batch, and adds the batch up once it is complete.
func (x *peer) analyze(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	d := &x.adder
	if err := x.checkBatch(from, &m); err != nil {
		return err
	}
	if m.Label().Seq <= x.answered {
		out.Send(from, x.total())
		return nil
	}
	if len(d.parts) > 0 {
		switch held := d.parts[0].Label(); {
		case protocol.Newer(m.Label(), held):
			d.parts = nil
		case protocol.Newer(held, m.Label()):
			return nil
		}
	}
	at, stored := slices.BinarySearchFunc(d.parts, m, func(a, b protocol.Message) int { return cmp.Compare(a.Label().Stream, b.Label().Stream) })
	if stored {
		return nil
	}
	d.parts = slices.Insert(d.parts, at, m)
	var all []dp.Sealed
	for _, p := range d.parts {
		all = append(all, p.Sealed()...)
	}
	if uint64(len(all)) < m.Ref(0).Seq {
		return nil
	}
	d.parts = nil
	k := m.Label().Seq
	node, err := x.node(&m, all)
	if err != nil {
		out.Accuse(err)
	}
	d.levels[bits.TrailingZeros64(k)], x.answered = node, k
	total := x.total()
	x.keep(total)
	x.analyzer.Hand(total, protocol.Everyone, out)
	return nil
}

// checkBatch refuses a message other than a part of a batch of the shuffler.
func (x *peer) checkBatch(from protocol.Peer, m *protocol.Message) error {
	l := m.Label()
	if from != x.shuffler.Root() || l.Origin != from || l.Seq == 0 || l.Stream >= maxParts || m.Refs() != 1 || m.Body() > 0 || len(m.Sealed()) == 0 || m.Ref(0).Seq > uint64(x.c.Peers()) {
		return m.Refuse("want a part of a batch of the shuffler")
	}
	if !x.c.Press.Authentic(*m) {
		return m.Refuse("not signed by the shuffler")
	}
	return nil
}

// node returns the sum of the reports of a batch. Reports that are no p-sums of it do not count, and are an error in addition; a
// sum that shares make is nothing without one of them.
func (x *peer) node(m *protocol.Message, all []dp.Sealed) (sum dp.Release, err error) {
	var of []dp.Release
	for i, s := range all {
		r, bad := x.c.Press.Open(s)
		if bad == nil {
			bad = x.checkOpened(m, &r, x.p.Sees == Sum && i == 0)
		}
		if bad != nil {
			err = bad
			continue
		}
		of = append(of, r)
	}
	switch {
	case len(of) == 0 || x.p.Sees == Sum && (err != nil || len(of) < 2):
		return dp.Release{}, err
	case x.p.Sees == Sum:
		if sum, err = averages.Joined(of); err == nil {
			err = x.plausible(m, &sum)
		}
		if err != nil {
			return dp.Release{}, err
		}
		return sum, nil
	}
	sum, bad := dp.Total(of)
	return sum, errors.Join(err, bad)
}

// checkOpened refuses a release other than the p-sum of a batch, or a share of one: of the shuffler, without noise, or of a silo.
func (x *peer) checkOpened(m *protocol.Message, r *dp.Release, ofShuffler bool) error {
	noise := dp.Noise{Law: x.c.Charge.Mechanism.Law(), Scale: x.c.Charge.Scale, VarianceUnits: dp.VarianceScale}
	if noise.Scale == 0 || ofShuffler {
		noise = dp.Noise{}
	}
	switch {
	case r.Stream() != 0 || r.Span() != psum(m.Label().Seq) || r.Len() != x.c.Width || r.Counts() != 1 || r.Exponent() != dp.GridExponent:
		return m.Refuse("a report is no p-sum of the batch")
	case r.Noise() != noise:
		return m.Refuse("a report has the noise %+v, want %+v", r.Noise(), noise)
	case x.p.Sees == Reports:
		return x.plausible(m, r)
	}
	return nil
}

// plausible refuses more records than silos can have, and values that those do not give.
func (x *peer) plausible(m *protocol.Message, r *dp.Release) error {
	if r.Count(0) > spread.MostRecords/uint64(x.c.Peers()) {
		return m.Refuse("%d records", r.Count(0))
	}
	return spread.PlausibleValues(&x.c.Charge, m, r)
}

// total returns the sum over all batches that were answered, from the levels that make them.
func (x *peer) total() protocol.Message {
	var body []dp.Release
	for z := 63; z >= 0; z-- {
		level := x.adder.levels[z]
		if x.answered>>z&1 == 0 || level.Span() != psum(x.answered>>z<<z) {
			continue // no batch, or its reports were none
		}
		if body == nil {
			body = []dp.Release{level}
			continue
		}
		if sum, err := dp.Plus(body[0], level); err == nil { // counts and noise are bounded in each report
			body[0] = sum
		}
	}
	return x.c.Press.Signed(protocol.Content{Kind: shuffleTotal, Label: protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Seq: x.answered}, Body: body})
}
