package protocol

import (
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// digests spread rows that come all the time: by topic where there is one, else from neighbour
// to neighbour, once each. What was missed is pulled: every pull rounds a peer sends one
// neighbour a digest of what it holds and gets what is newer; if the digest names newer rows
// than the neighbour's, the neighbour asks back. A neighbour is served once a round.
type digests struct {
	flood
	served []bool // neighbours, by place, in this round
}

func newDigests(c Config, row Kind, pull uint64, check func(*Message) error) (digests, error) {
	f, err := newFlood(c, row, 1, pull, check)
	return digests{f, make([]bool, len(c.Neighbours()))}, err
}

// tick sends digests at the end of round t.
func (p *digests) tick(t Round, out *Outbox) {
	clear(p.served)
	due := (uint64(t) + 1) / p.pull
	if due <= p.pulled {
		return
	}
	p.pulled = due
	if n := len(p.c.Neighbours()); n > 0 {
		to := p.c.Neighbours()[p.c.Rand.IntN(n)]
		p.digest(p.row+floodDigest, uint64(t), p.refs(to), to, out)
	}
}

// publish sends this peer's own row of a number.
func (p *digests) publish(seq uint64, body []dp.Release, out *Outbox) {
	p.forward(p.sign(seq, 0, body), p.c.Self, out)
}

// forward sends m on to all but the peer that it came from and its origin.
func (p *digests) forward(m Message, from Peer, out *Outbox) {
	if p.c.Topic {
		if from == p.c.Self {
			out.Send(Everyone, m)
		}
		return
	}
	for _, n := range p.c.Neighbours() {
		if n != from && n != m.Label().Origin {
			out.Send(n, m)
		}
	}
}

// receive takes in rows and digests, and reports whether a row is new.
func (p *digests) receive(from Peer, m Message, out *Outbox) (news bool, err error) {
	switch m.Kind() {
	case p.row:
		if news, err = p.take(m); news {
			p.forward(m, from, out)
		}
		return news, err
	case p.row + floodDigest, p.row + floodWant:
		return false, p.answer(from, m, out)
	default:
		return false, m.Refuse("unknown to this protocol")
	}
}

// answer answers a digest with the rows that the sender does not hold, and asks for
// those that this peer does not.
func (p *digests) answer(from Peer, m Message, out *Outbox) error {
	i, ok := slices.BinarySearch(p.c.Neighbours(), from)
	if !ok {
		return m.Refuse("from peer %d, who is no neighbour", from)
	}
	theirs, lacking, err := p.named(&m)
	if err != nil || p.served[i] { // enough for this round
		return err
	}
	p.served[i] = true
	p.serve(from, theirs, out)
	if lacking && m.Kind() == p.row+floodDigest {
		p.digest(p.row+floodWant, m.Label().Seq, p.refs(from), from, out)
	}
	return nil
}

func (p *digests) fields(v *state.Visitor) {
	p.flood.fields(v)
	visitNeighbours(v, p.c.Neighbours(), p.served, v.Bool)
}
