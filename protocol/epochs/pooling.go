package epochs

import (
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
	"peerd.dev/protocol/internal/spread"
)

// hubParams are the parameters of a hub.
type hubParams struct {
	place         int           // in the network file, from 1; 0 for none
	levels        int           // 1: sites report to the hub. 2: to the sink of their component, and sinks to the hub
	byEpoch       bool          // sites report at the end of every epoch; else with schedule doubling
	participation float64       // share of the sites that report in an epoch
	deadline      uint64        // rounds for which a level waits for more sites
	patience      uint64        // rounds after which a site reports again if there was no answer
	ofMeans       protocol.Kind // of the hub's messages
	ofReport      protocol.Kind // of a site's messages
}

// pooling is a peer of protocols coordinator and sink: sites report sums to a hub, which pools them to
// means over sites and returns these by number.
type pooling struct {
	c protocol.Config
	hubParams
	hub    hub.Hub
	means  []protocol.Message // sent by the hub, by number; with schedule doubling the newest one alone
	round  protocol.Round     // under way
	belief belief.Belief
	stale  bool
	site   site
	desk   hub.Desk
	absent []bool         // peers in the epoch under way; with one level none
	pooled protocol.Round // when this sink sent its newest pool of the epoch; 0 before the first
}

func newPooling(c protocol.Config, p hubParams) *pooling {
	x := &pooling{
		c: c, hubParams: p, hub: hub.NewHub(&c, p.place),
		belief: belief.New(c.Parts, 1), stale: true,
		site: site{
			sums: make([]dp.Release, c.Parts), over: make([]bool, c.Parts), gap: 1, arm: -1, late: p.byEpoch,
		},
		desk: hub.NewDesk(c.Peers()),
	}
	if p.byEpoch {
		x.belief.Own = slices.Repeat([]float64{-spread.Inf}, c.Parts)
	}
	x.plant()
	return x
}

// plant computes the ways of the epoch under way. With one level they are shortest paths, and no peer is absent.
func (x *pooling) plant() {
	absent := make([]bool, x.c.Peers())
	if len(x.means) > 0 {
		newest := &x.means[len(x.means)-1]
		for i := 1; i < newest.Refs(); i++ {
			if p := newest.Ref(i).Origin; int64(p) < int64(len(absent)) && p != x.hub.Root() {
				absent[p] = true
			}
		}
	}
	if slices.Equal(absent, x.absent) {
		return
	}
	if x.absent = absent; x.levels == 2 && !x.hub.None() {
		x.hub.Ways = newForest(x.c.Graph, x.hub.Root(), absent)
	}
}

// number returns the number of the newest means that this peer has; 0 before the first.
func (x *pooling) number() uint64 {
	if len(x.means) == 0 {
		return 0
	}
	return x.means[len(x.means)-1].Label().Seq
}

// origin returns the peer whose means this one accepts: itself, if it is alone.
func (x *pooling) origin() protocol.Peer {
	if x.hub.None() {
		return x.c.Self
	}
	return x.hub.Root()
}

// learn processes means, and reports whether they are the next ones.
func (x *pooling) learn(m *protocol.Message) (news bool, err error) {
	switch {
	case m.Label().Origin != x.hub.Root():
		return false, m.Refuse("means of peer %d, want the coordinator's", m.Label().Origin)
	case m.Label().Seq == 0 || m.Refs() < 1 || m.Ref(0).Seq > m.Label().Seq:
		return false, m.Refuse("want means with a number, and the number of the first ones that there are")
	case x.byEpoch && m.Label().Seq > x.number()+mostAhead:
		return false, m.Refuse("means of epoch %d, want at most %d", m.Label().Seq, x.number()+mostAhead)
	}
	if err := x.checkMeans(m); err != nil {
		return false, err
	}
	if !x.c.Press.Authentic(*m) {
		return false, m.Refuse("not signed by its origin")
	}
	s := &x.site
	if m.Label().Seq <= x.number() {
		return false, nil
	}
	if x.byEpoch && m.Label().Seq > max(x.number()+1, m.Ref(0).Seq) {
		s.late, s.ahead = true, max(s.ahead, m.Label().Seq) // earlier ones are missing
		return false, nil
	}
	x.keep(*m)
	s.late = x.byEpoch && (!s.explored || s.ahead > m.Label().Seq)
	s.Waiting, s.bound, s.explored, x.stale = false, false, false, true
	return true, nil
}

// checkMeans refuses a message other than means over sites.
func (x *pooling) checkMeans(m *protocol.Message) error {
	next := 0
	for i := range m.Body() {
		r := m.Release(i)
		if int(r.Stream()) < next || int(r.Stream()) >= x.c.Parts || r.Len() != 1 || r.Counts() != 2 || r.Count(0) == 0 || r.Count(1) == 0 || r.Exponent() != averages.MeanExponent {
			return m.Refuse("release %d: want the mean of an arm over sites, ascending", i)
		}
		next = int(r.Stream()) + 1
	}
	if m.Body() == 0 || len(m.Sealed()) > 0 || m.Round() != 0 {
		return m.Refuse("want means and nothing else")
	}
	return nil
}

// keep makes means the newest ones.
func (x *pooling) keep(m protocol.Message) {
	if !x.byEpoch {
		x.means = x.means[:0]
	}
	x.means = append(x.means, m)
}

// after returns the first means with a number above held; nil for none.
func (x *pooling) after(held uint64) *protocol.Message {
	for i := range x.means {
		if x.means[i].Label().Seq > held {
			return &x.means[i]
		}
	}
	return nil
}
