package epochs

import (
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
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
	hub    spread.Hub
	means  []protocol.Message // sent by the hub, by number; with schedule doubling the newest one alone
	round  protocol.Round     // under way
	belief belief.Belief
	stale  bool
	site   site
	desk   spread.Desk
	absent []bool         // peers in the epoch under way; with one level none
	pooled protocol.Round // when this sink sent its newest pool of the epoch; 0 before the first
}

func newPooling(c protocol.Config, p hubParams) *pooling {
	x := &pooling{
		c: c, hubParams: p, hub: spread.NewHub(&c, p.place),
		belief: belief.New(c.Parts, 1), stale: true,
		site: site{
			sums: make([]dp.Release, c.Parts), over: make([]bool, c.Parts), gap: 1, arm: -1, late: p.byEpoch,
		},
		desk: spread.NewDesk(c.Peers()),
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
		x.hub.Ways = spread.NewForest(x.c.Graph, x.hub.Root(), absent)
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
