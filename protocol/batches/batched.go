package batches

import (
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// batched is a peer of protocols batch and local: rows contain the sums over all batches of their
// origin, and the belief is the sum of the newest rows, the peer's own released batches included. A
// row is sent when a batch has ended and there is enough news; see [newsworthy].
type batched struct {
	spread.Totals
	cadence   protocol.Cadence
	batches   protocol.Cadence // in leaves; zero if every leaf ends a batch
	members   []bool           // whose rows are added up; nil for all
	threshold float64          // amount of news that is worth a row; 0 if every batch is
	turns     bool             // estimators can take turns, so that a saved state contains the round
	round     protocol.Round   // of the next decision
	width     int
	belief    belief.Belief
	stale     bool
}

// open completes a peer with the kind of its rows; c.Parts is the number of streams.
func (b *batched) open(c protocol.Config, row protocol.Kind, pull uint64, cadence protocol.Cadence) (err error) {
	b.cadence, b.width = cadence, c.Width
	b.Totals, err = spread.NewTotals(c, row, pull, b.check)
	b.Own = make([]dp.Release, c.Parts)
	return err
}

// check refuses a message other than a row of an origin in reach.
func (b *batched) check(m *protocol.Message) error {
	if !b.Holds(b.C.Self, m.Label().Origin) {
		return m.Refuse("its origin is further away than releases travel")
	}
	return b.Sound(m, b.width, b.cadence)
}

// Chosen counts the choice.
func (b *batched) Chosen(part int) { b.belief.Pulls[part]++ }

// due reports whether a batch of a stream has ended and the sum over batches is to be sent.
func (b *batched) due(stream dp.StreamID) bool {
	if !spread.Ended(b.batches, &b.Own[stream], &b.Total[stream]) {
		return false
	}
	if b.threshold == 0 {
		return true
	}
	all := belief.New(1, b.width)
	b.AddUp(&all, 0, int(stream), b.members)
	return newsworthy(&all, &b.Own[stream], &b.Total[stream], b.threshold)
}

// Released adds leaves to the own sums and sends rows at the end of batches.
func (b *batched) Released(own []protocol.Own, out *protocol.Outbox) error {
	b.stale = true
	return spread.Advance(own, b.Own, b.Total, b.due, func(stream dp.StreamID) { b.Show(stream, b.Own[stream], out) })
}

// Tick sends digests, sends rows again that a change of the policy has made void, and passes the
// turn to the next estimator.
func (b *batched) Tick(t protocol.Round, out *protocol.Outbox) error {
	b.round = t + 1
	b.stale = b.stale || b.cadence.Lanes > 1
	b.Announce(t, out)
	return nil
}

// Receive processes rows and digests.
func (b *batched) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	news, err := b.Hear(from, m, out)
	b.stale = b.stale || news
	return err
}

// Belief adds up the members' releases for the estimator whose turn it is.
func (b *batched) Belief() *belief.Belief {
	if b.stale {
		parts := len(b.belief.SampleVar)
		for k := range parts {
			b.AddUp(&b.belief, k, b.cadence.Stream(k, parts, b.round), b.members)
		}
		b.stale = false
	}
	return &b.belief
}

// version returns the version of saved states.
func (b *batched) version() byte {
	if b.turns {
		return 1
	}
	return 2
}

// Save implements [protocol.Protocol].
func (b *batched) Save() ([]byte, error) { return state.Save(b.version(), b.fields), nil }

// Load implements [protocol.Protocol].
func (b *batched) Load(saved []byte) error {
	b.stale = true
	return spread.Load(saved, b.version(), b.fields)
}

func (b *batched) fields(v *state.Visitor) {
	b.Fields(v, b.width)
	if b.turns {
		state.Number(v, &b.round)
	}
	v.Uints(b.belief.Pulls)
}
