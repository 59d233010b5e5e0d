package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// rest is how many times pull rounds pass at most from one digest to the next for a neighbour
// that does not answer.
const rest = 256

// agreement spreads rows that come ever more rarely, with few messages. A row goes by topic where
// there is one, else from neighbour to neighbour, and not to those that have it from the
// same one. Two neighbours then make sure that they hold the same: once pull rounds have
// passed, a peer sends a neighbour a digest, whose number is a sum of the signatures that it
// holds. If the other one has the same sum, it says so, and both are silent until one of
// them gets a row from elsewhere. If not, each sends the rows that the other does not name.
// A neighbour that does not answer gets digests ever more rarely.
//
// One neighbour gets a digest every pull rounds at most; a neighbour is answered once a round.
type agreement struct {
	flood
	quiet uint64 // how many times pull rounds have passed without a new row
	links []link // by place of the neighbour
}

// link is what a peer knows of a neighbour.
type link struct {
	agreed bool   // it holds all that this peer does
	asked  bool   // it got a digest when one was due for the last time
	served bool   // in this round
	next   uint64 // when it gets the next one, as quiet
}

func newAgreement(c Config, row Kind, pull uint64, check func(*Message) error) (agreement, error) {
	f, err := newFlood(c, row, c.Parts, pull, check)
	return agreement{flood: f, links: make([]link, len(c.Neighbours()))}, err
}

// tick sends a digest at the end of round t, if one is due.
func (o *agreement) tick(t Round, out *Outbox) {
	for i := range o.links {
		o.links[i].served = false
	}
	due := (uint64(t) + 1) / o.pull
	if due <= o.pulled {
		return
	}
	o.quiet += due - o.pulled
	o.pulled = due
	var open []int
	for i := range o.links {
		l := &o.links[i]
		l.asked = false
		if !l.agreed && l.next <= o.quiet {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return
	}
	i := open[o.c.Rand.IntN(len(open))]
	o.links[i].asked = true
	o.links[i].next = o.quiet + min((o.quiet+3)/4, rest)
	to := o.c.Neighbours()[i]
	o.digest(o.row+floodDigest, o.sum(to), o.refs(to), to, out)
}

// publish sends this peer's own row of a number and a stream.
func (o *agreement) publish(seq uint64, body dp.Release, out *Outbox) {
	o.pass(o.sign(seq, body.Stream(), []dp.Release{body}), o.c.Self, out)
}

// pass sends a new row on to neighbours that hold such rows and are not the origin's, nor those of the peer
// that it came from, which has sent it to them. That peer holds it, so nothing changes between
// the two.
func (o *agreement) pass(m Message, from Peer, out *Outbox) {
	o.quiet = 0
	var theirs []Peer
	if from != o.c.Self && int64(from) < int64(o.c.Peers()) {
		theirs = o.c.Graph[from]
	}
	for i, n := range o.c.Neighbours() {
		if !o.holds(n, m.Label().Origin) {
			continue
		}
		o.links[i].next = 0
		if n == from {
			continue
		}
		o.links[i].agreed = false
		if o.c.Topic || n == m.Label().Origin {
			continue
		}
		if _, has := slices.BinarySearch(theirs, n); !has {
			out.Send(n, m)
		}
	}
	if o.c.Topic && from == o.c.Self {
		out.Send(Everyone, m)
	}
}

// receive takes in rows and digests, and reports whether a row is new.
func (o *agreement) receive(from Peer, m Message, out *Outbox) (news bool, err error) {
	switch m.Kind() {
	case o.row:
		if news, err = o.take(m); news {
			o.pass(m, from, out)
		}
		return news, err
	case o.row + floodDigest, o.row + floodWant:
		return false, o.compare(from, m, out)
	default:
		return false, m.Refuse("unknown to this protocol")
	}
}

// compare takes in a digest. If this peer has sent one that crossed it, that is the answer.
func (o *agreement) compare(from Peer, m Message, out *Outbox) error {
	i, ok := slices.BinarySearch(o.c.Neighbours(), from)
	if !ok {
		return m.Refuse("from peer %d, who is no neighbour", from)
	}
	theirs, lacking, err := o.named(&m)
	if err != nil {
		return err
	}
	l, sum := &o.links[i], o.sum(from)
	answer := m.Kind() == o.row+floodDigest && !l.asked && !l.served
	if l.agreed = m.Label().Seq == sum; l.agreed {
		if answer {
			l.served = true
			o.digest(o.row+floodWant, sum, nil, from, out)
		}
		return nil
	}
	l.next = 0
	same := m.Kind() == o.row+floodWant && m.Refs() == 0 && m.Label().Seq != 0 // as before a row that came since
	if same || l.served {
		return nil
	}
	l.served = true
	if o.serve(from, theirs, out) == 0 && !lacking { // gaps, or two rows of one number
		o.serve(from, make([]Label, len(theirs)), out)
	}
	if answer && lacking {
		o.digest(o.row+floodWant, sum, o.refs(from), from, out)
	}
	return nil
}

// sum returns a number that differs if the rows that a peer holds differ, of those that a
// neighbour holds, too, except by a chance of 2^-32; 0 for none.
func (o *agreement) sum(to Peer) uint64 {
	h, rows := sha256.New(), 0
	for _, m := range o.newest {
		if m.Kind() != 0 && o.holds(to, m.Label().Origin) {
			_, _ = io.WriteString(h, m.Signature())
			rows++
		}
	}
	if rows == 0 {
		return 0
	}
	return 1 + uint64(binary.BigEndian.Uint32(h.Sum(nil)))
}

func (o *agreement) fields(v *state.Visitor) {
	void := o.flood.fields(v)
	v.Uint(&o.quiet)
	visitNeighbours(v, o.c.Neighbours(), o.links, func(l *link) {
		visitFlags(v, &l.agreed, &l.asked, &l.served)
		l.agreed = l.agreed && !void
		v.Uint(&l.next)
	})
}
