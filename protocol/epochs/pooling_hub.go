package epochs

import (
	"math"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// turn begins the next epoch, and forwards its means.
func (x *pooling) turn(out *protocol.Outbox) {
	clear(x.desk.Reported)
	x.pooled = 0
	x.plant()
	x.hub.Hand(x.means[len(x.means)-1], protocol.Everyone, out)
}

// takesPart reports whether a site reports in an epoch.
func (x *pooling) takesPart(p protocol.Peer, epoch uint64) bool {
	if x.participation == 1 {
		return true
	}
	place := p // among the sites
	if p > x.hub.Root() {
		place--
	}
	return drawn(&x.c, x.participation, x.c.Peers()-1, epoch)[place]
}

// checkContent refuses sums that its origin cannot have released or has not signed.
func (x *pooling) checkContent(m *protocol.Message) error {
	next := 0
	for i := range m.Body() {
		r := m.Release(i)
		if int(r.Stream()) < next || int(r.Stream()) >= x.c.Parts || r.Len() != 1 || r.Counts() != 1 || r.Count(0) == 0 || r.Exponent() != dp.GridExponent {
			return m.Refuse("release %d: want the sum of an arm with its count, ascending", i)
		}
		if err := spread.Plausible(&x.c.Charge, m, r); err != nil {
			return err
		}
		if _, err := averages.SiteMean(*r); err != nil || !x.poolable(r, 1) {
			return m.Refuse("release %d: a sum, records or noise beyond what means are computed of", i)
		}
		next = int(r.Stream()) + 1
	}
	if !x.c.Press.Authentic(*m) {
		return m.Refuse("not signed by its origin")
	}
	return nil
}

// poolable reports whether means can be computed from a release of a number of sites together with
// the other sites' releases: no sum overflows.
func (x *pooling) poolable(r *dp.Release, sites uint64) bool {
	noise := r.Noise()
	return r.Count(0) <= sites*spread.MostRecords && uint64(noise.VarianceUnits)*uint64(x.c.Peers()) <= sites*math.MaxUint32 &&
		(noise.Scale == 0 || noise.Law == x.c.Charge.Mechanism.Law())
}

// meansOf returns a message with means and their number. It can name peers.
func (x *pooling) meansOf(number uint64, body []dp.Release, peers ...protocol.Label) protocol.Message {
	label := protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Seq: number}
	first := label // of the first means that the hub has
	if len(x.means) > 0 && x.byEpoch {
		first = x.means[0].Label()
	}
	return x.c.Press.Signed(protocol.Content{Kind: x.ofMeans, Label: label, Refs: append([]protocol.Label{first}, peers...), Body: body})
}

// pool returns the mean of every arm over sites, from sums of sites and means over several sites.
func (x *pooling) pool(of [][]dp.Release) (body []dp.Release, err error) {
	for k := range x.c.Parts {
		var means []dp.Release
		for _, releases := range of {
			for _, r := range releases {
				if int(r.Stream()) != k || r.Empty() || r.Count(0) == 0 {
					continue
				}
				if r.Counts() == 1 {
					if r, err = averages.SiteMean(r); err != nil {
						return nil, err
					}
				}
				means = append(means, r)
			}
		}
		if len(means) == 0 {
			continue
		}
		mean, err := averages.Pool(means)
		if err != nil {
			return nil, err
		}
		body = append(body, mean)
	}
	return body, nil
}

// next returns the number of the next means. It is at least one more than the median number of the
// sites that wait for it, in case the hub has lost its state. No site accepts means that are far
// ahead of its own.
func (x *pooling) next() uint64 {
	var held []uint64
	for i, reported := range x.desk.Reported {
		if reported {
			held = append(held, x.desk.Held[i].Seq)
		}
	}
	slices.Sort(held)
	return max(x.number(), min(held[(len(held)-1)/2], x.number()+mostAhead-1)) + 1
}
