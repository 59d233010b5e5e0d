package spread

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// Rest is the greatest number of periods of pull rounds between two digests to a neighbour that
// does not answer.
const Rest = 256

// antiEntropy spreads rows that come ever more rarely, with few messages: rumors, and then comparisons between
// neighbours, the anti-entropy of Demers et al. 1987. A row goes by topic where
// there is one, else from neighbour to neighbour, and not to those that have it from the
// same one. Two neighbours then make sure that they hold the same: once pull rounds have
// passed, a peer sends a neighbour a digest, whose number is a sum of the signatures that it
// holds. If the other one has the same sum, it says so, and both are silent until one of
// them gets a row from elsewhere. If not, each sends the rows that the other does not name.
// A neighbour that does not answer gets digests ever more rarely.
//
// At most one neighbour gets a digest every pull rounds; a neighbour is answered once per round.
type antiEntropy struct {
	Flood
	quiet uint64     // periods of pull rounds without a new row
	links []link     // by place of the neighbour
	sums  []checksum // by place, or one for all if all hold the same rows
	bytes []byte     // scratch of sum
}

// link is what a peer knows about a neighbour.
type link struct {
	agreed bool   // both have the same rows
	asked  bool   // it got the newest digest
	served bool   // in this round
	next   uint64 // when it gets the next digest, in units of quiet
}

// A checksum is one of the rows that this peer had after a number of changes.
type checksum struct{ of, changes uint64 }

func newAntiEntropy(c protocol.Config, row protocol.Kind, pull uint64, check func(*protocol.Message) error) antiEntropy {
	return antiEntropy{Flood: NewFlood(c, row, c.Parts, pull, check), links: make([]link, len(c.Neighbours())), sums: make([]checksum, max(1, len(c.Neighbours())))}
}

// tick sends a digest at the end of round t, if one is due.
func (o *antiEntropy) tick(t protocol.Round, out *protocol.Outbox) {
	for i := range o.links {
		o.links[i].served = false
	}
	due := (uint64(t) + 1) / o.Pull
	if due <= o.Pulled {
		return
	}
	o.quiet += due - o.Pulled
	o.Pulled = due
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
	i := open[o.C.Rand.IntN(len(open))]
	o.links[i].asked = true
	o.links[i].next = o.quiet + min((o.quiet+3)/4, Rest)
	to := o.C.Neighbours()[i]
	o.Digest(o.Row+FloodDigest, o.sum(i), o.Refs(to), to, out)
}

// publish sends this peer's own row of a number and a stream.
func (o *antiEntropy) publish(seq uint64, body dp.Release, out *protocol.Outbox) {
	o.Pass(o.Sign(seq, body.Stream(), []dp.Release{body}), o.C.Self, out)
}

// Pass forwards a new row to the neighbours that hold rows of its origin, except the origin, the
// peer that it came from, and that peer's neighbours, which got it from the same peer.
func (o *antiEntropy) Pass(m protocol.Message, from protocol.Peer, out *protocol.Outbox) {
	o.quiet = 0
	var theirs []protocol.Peer
	if from != o.C.Self && int64(from) < int64(o.C.Peers()) {
		theirs = o.C.Graph[from]
	}
	for i, n := range o.C.Neighbours() {
		if !o.Holds(n, m.Label().Origin) {
			continue
		}
		o.links[i].next = 0
		if n == from {
			continue
		}
		o.links[i].agreed = false
		if o.C.Topic || n == m.Label().Origin {
			continue
		}
		if _, has := slices.BinarySearch(theirs, n); !has {
			out.Send(n, m)
		}
	}
	if o.C.Topic && from == o.C.Self {
		out.Send(protocol.Everyone, m)
	}
}

// Compare answers a digest. If this peer's own digest crossed it, that one is the answer.
func (o *antiEntropy) Compare(place int, m *protocol.Message, theirs []protocol.Label, lacking bool, out *protocol.Outbox) {
	from := o.C.Neighbours()[place]
	l := &o.links[place]
	answer := m.Kind() == o.Row+FloodDigest && !l.asked && !l.served
	if l.agreed = !lacking && m.Label().Seq == o.sum(place); l.agreed {
		if answer {
			l.served = true
			o.Digest(o.Row+FloodWant, o.sum(place), nil, from, out)
		}
		return
	}
	l.next = 0
	same := m.Kind() == o.Row+FloodWant && m.Refs() == 0 && m.Label().Seq != 0 // it matched before a newer row arrived
	if same || l.served {
		return
	}
	l.served = true
	if o.Serve(from, theirs, out) == 0 && !lacking { // gaps, or two rows with one number
		o.Serve(from, make([]protocol.Label, len(theirs)), out)
	}
	if answer && lacking {
		o.Digest(o.Row+FloodWant, o.sum(place), o.Refs(from), from, out)
	}
}

// sum returns a checksum of the rows that this peer has and a neighbour, given by its place, holds too; 0 for none.
// Different rows have equal checksums with probability 2^-32.
func (o *antiEntropy) sum(place int) uint64 {
	to := o.C.Neighbours()[place]
	if o.Reach == nil {
		place = 0
	}
	if o.sums[place].changes == o.changes { // no row has changed since
		return o.sums[place].of
	}
	h, rows := sha256.New(), 0
	for _, m := range o.Newest {
		if m.Kind() != 0 && o.Holds(to, m.Label().Origin) {
			o.bytes = append(o.bytes[:0], m.Signature()...)
			_, _ = h.Write(o.bytes)
			rows++
		}
	}
	sum := uint64(0)
	if rows > 0 {
		sum = 1 + uint64(binary.BigEndian.Uint32(h.Sum(nil)))
	}
	o.sums[place] = checksum{sum, o.changes}
	return sum
}

func (o *antiEntropy) fields(v *state.Visitor) {
	void := o.Fields(v)
	v.Uint(&o.quiet)
	VisitNeighbours(v, o.C.Neighbours(), o.links, func(l *link) {
		VisitFlags(v, &l.agreed, &l.asked, &l.served)
		l.agreed = l.agreed && !void
		v.Uint(&l.next)
	})
}
