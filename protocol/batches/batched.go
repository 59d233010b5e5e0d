package batches

import (
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// batched is a peer of protocol batch without an analyzer, and of local: rows contain the sums over all batches of their
// origin, and the belief is the sum of the newest rows, the peer's own released batches included. A
// row is sent when a batch has ended and there is enough news; see [newsworthy].
type batched struct {
	spread.Body
	spread.Totals
	cadence   protocol.Cadence
	batches   protocol.Cadence // in leaves; zero if every leaf ends a batch
	members   []bool           // whose rows are added up; nil for all
	threshold float64          // amount of news that is worth a row; 0 if every batch is
	near      bool             // releases have a reach
	round     protocol.Round   // of the next decision
	width     int
}

// open completes a peer with the kind of its rows, and the number of links that they travel, 0 for any.
func (b *batched) open(c protocol.Config, row protocol.Kind, pull, hops uint64) {
	parts, version := c.Parts, byte(2)
	c.Parts = b.cadence.Streams(parts)
	if b.near = hops > 0; b.near {
		c.Topic, version = false, 1 // a topic has no reach
	}
	b.Totals = spread.NewTotals(c, row, pull, b.check)
	if b.near {
		balls := Balls(c.Graph, hops)
		b.Reach = map[protocol.Peer][]bool{c.Self: balls[c.Self]}
		for _, n := range c.Neighbours() {
			b.Reach[n] = balls[n]
		}
	}
	b.Own, b.width = make([]dp.Release, c.Parts), c.Width
	b.Body = spread.NewBody(parts, c.Width, &b.Flood, &b.Totals, b.estimate, version, b.fields)
}

// check refuses a message other than a row of an origin in reach.
func (b *batched) check(m *protocol.Message) error {
	if !b.Holds(b.C.Self, m.Label().Origin) {
		return m.Refuse("its origin is further away than releases travel")
	}
	return b.Sound(m, b.width, b.cadence)
}

// due reports whether a batch of a stream has ended and the sum over batches is to be sent.
func (b *batched) due(stream dp.StreamID) bool {
	if !ended(b.batches, &b.Own[stream], &b.Total[stream]) {
		return false
	}
	if b.threshold == 0 {
		return true
	}
	all := belief.New(1, b.width)
	addUp(&b.Totals, &all, 0, int(stream), b.members)
	return newsworthy(&all, &b.Own[stream], &b.Total[stream], b.threshold)
}

// Released adds leaves to the own sums and sends rows at the end of batches.
func (b *batched) Released(own []protocol.Own, out *protocol.Outbox) error {
	b.Renew()
	return advance(own, b.Own, b.Total, b.due, func(stream dp.StreamID) { b.Show(stream, b.Own[stream], out) })
}

// Tick passes the turn to the next estimator, and sends digests.
func (b *batched) Tick(t protocol.Round, out *protocol.Outbox) error {
	b.round = t + 1
	if b.cadence.Lanes > 1 {
		b.Renew()
	}
	return b.Body.Tick(t, out)
}

// estimate adds up the members' releases of a part for the estimator whose turn it is.
func (b *batched) estimate(part int) {
	addUp(&b.Totals, &b.Known, part, b.cadence.Stream(part, len(b.Stale), b.round), b.members)
}

func (b *batched) fields(v *state.Visitor) {
	b.Fields(v, b.width)
	if b.near {
		state.Number(v, &b.round)
	}
	v.Uints(b.Known.Pulls)
}
