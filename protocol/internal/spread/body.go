package spread

import (
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// Body is what the peers of protocols rows, phases, batch and local share: they hold the newest signed rows of all
// origins, and believe of a part what they compute from them. Each protocol has its own cadence, its own check of rows, its
// own [Exchange], and its own estimate of a part. A Body holds pointers into the protocol that contains it, which therefore
// must not be copied once it has one.
type Body struct {
	Known belief.Belief
	Stale []bool // parts whose estimate is to be computed again

	rows     *Flood
	exchange Exchange
	heard    func(row protocol.Label, over bool)
	estimate func(part int) // sets the estimate of a part in Known
	version  byte           // of saved states
	fields   func(*state.Visitor)
}

// An Exchange sends rows and digests: at once to some peers, and to others when they lack a row.
type Exchange interface {
	// Pass forwards a new row that a peer sent.
	Pass(m protocol.Message, from protocol.Peer, out *protocol.Outbox)
	// Compare answers a digest of a neighbour, given by its place, of which [Flood.Named] returned
	// theirs and lacking.
	Compare(place int, m *protocol.Message, theirs []protocol.Label, lacking bool, out *protocol.Outbox)
	// Announce sends a digest at the end of round t, if one is due.
	Announce(t protocol.Round, out *protocol.Outbox)
}

// Hear sets what is done when a new row has arrived, in place of computing all estimates again. Over reports whether
// it makes rows of other streams of its origin void.
func (b *Body) Hear(heard func(row protocol.Label, over bool)) { b.heard = heard }

// NewBody returns the body of a peer of a protocol with a number of parts and a width of their sums.
func NewBody(parts, width int, rows *Flood, x Exchange, estimate func(part int), version byte, fields func(*state.Visitor)) Body {
	return Body{
		Known: belief.New(parts, width), Stale: make([]bool, parts),
		rows: rows, exchange: x, estimate: estimate, version: version, fields: fields,
	}
}

// Renew marks all estimates to be computed again.
func (b *Body) Renew() {
	for k := range b.Stale {
		b.Stale[k] = true
	}
}

// Chosen implements [protocol.Protocol].
func (b *Body) Chosen(part int) { b.Known.Pulls[part]++ }

// Tick sends digests.
func (b *Body) Tick(t protocol.Round, out *protocol.Outbox) error {
	b.exchange.Announce(t, out)
	return nil
}

// Receive processes rows and digests.
func (b *Body) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	switch m.Kind() {
	case b.rows.Row:
		news, over, err := b.rows.Take(m)
		if news {
			b.exchange.Pass(m, from, out)
			if b.heard == nil {
				b.Renew()
			} else {
				b.heard(m.Label(), over)
			}
		}
		return err
	case b.rows.Row + FloodDigest, b.rows.Row + FloodWant:
		place, ok := slices.BinarySearch(b.rows.C.Neighbours(), from)
		if !ok {
			return m.Refuse("from peer %d, who is no neighbour", from)
		}
		theirs, lacking, err := b.rows.Named(from, &m)
		if err == nil {
			b.exchange.Compare(place, &m, theirs, lacking, out)
		}
		return err
	default:
		return m.Refuse("unknown to this protocol")
	}
}

// Belief computes the estimates again that are stale.
func (b *Body) Belief() *belief.Belief {
	for k, stale := range b.Stale {
		if stale {
			b.estimate(k)
			b.Stale[k] = false
		}
	}
	return &b.Known
}

// Save implements [protocol.Protocol].
func (b *Body) Save() (protocol.State, error) { return Save(b.version, b.fields), nil }

// Load implements [protocol.Protocol].
func (b *Body) Load(saved protocol.State) error {
	b.Renew()
	return Load(saved, b.version, b.fields)
}
