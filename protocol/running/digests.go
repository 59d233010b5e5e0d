package running

import (
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// digests spread rows that come all the time: by topic where there is one, else from neighbour
// to neighbour, once each. What was missed is pulled: every pull rounds a peer sends one
// neighbour a digest of what it holds and gets what is newer; if the digest names newer rows
// than the neighbour's, the neighbour asks back. A neighbour is served once a round.
type digests struct {
	spread.Flood
	served []bool // neighbours, by place, in this round
}

func newDigests(c protocol.Config, row protocol.Kind, pull uint64, check func(*protocol.Message) error) digests {
	return digests{spread.NewFlood(c, row, 1, pull, check), make([]bool, len(c.Neighbours()))}
}

// Announce implements [spread.Exchange].
func (p *digests) Announce(t protocol.Round, out *protocol.Outbox) {
	clear(p.served)
	due := (uint64(t) + 1) / p.Pull
	if due <= p.Pulled {
		return
	}
	p.Pulled = due
	if n := len(p.C.Neighbours()); n > 0 {
		to := p.C.Neighbours()[p.C.Rand.IntN(n)]
		p.Digest(p.Row+spread.FloodDigest, uint64(t), p.Refs(to), to, out)
	}
}

// Pass forwards a new row to all neighbours except the peer that it came from and its origin.
func (p *digests) Pass(m protocol.Message, from protocol.Peer, out *protocol.Outbox) {
	if p.C.Topic {
		if from == p.C.Self {
			out.Send(protocol.Everyone, m)
		}
		return
	}
	for _, n := range p.C.Neighbours() {
		if n != from && n != m.Label().Origin {
			out.Send(n, m)
		}
	}
}

// Compare answers a digest with the rows that the sender does not hold, and asks for
// those that this peer does not.
func (p *digests) Compare(place int, m *protocol.Message, theirs []protocol.Label, lacking bool, out *protocol.Outbox) {
	if p.served[place] { // in this round
		return
	}
	p.served[place] = true
	from := p.C.Neighbours()[place]
	p.Serve(from, theirs, out)
	if lacking && m.Kind() == p.Row+spread.FloodDigest {
		p.Digest(p.Row+spread.FloodWant, m.Label().Seq, p.Refs(from), from, out)
	}
}

func (p *digests) fields(v *state.Visitor) {
	p.Fields(v)
	spread.VisitNeighbours(v, p.C.Neighbours(), p.served, v.Bool)
}
