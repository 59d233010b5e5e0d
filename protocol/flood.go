package protocol

import (
	"fmt"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// flood holds the rows of all origins, as far as this peer has them. A row is what an origin
// has to say of a stream, or of all of them, signed by it; a newer row replaces an older one.
// So loss, duplication, reordering and late joining do no harm.
//
// An origin numbers its rows over all its streams; with several streams, the number of a row
// is that of all leaves that its origin had closed, and a peer that holds all rows of an
// origin can tell so, since the leaves in them add up to the greatest number. Such rows may be of
// windows, which are numbered; see [windowed]. Those of earlier ones are void.
type flood struct {
	c       Config
	row     Kind
	streams int // that have rows of their own, of an origin
	pull    uint64
	check   func(*Message) error // refuses what is no row of its origin
	reach   map[Peer][]bool      // whose rows this peer and its neighbours hold, by origin; nil for everyone's
	newest  []Message            // by origin and stream; empty before the first
	pulled  uint64               // digests that were due
}

// The kinds of messages of a flood, from that of its rows on.
const (
	floodDigest = 1 // the newest rows that the sender holds; asks for newer ones
	floodWant   = 2 // the same, in answer to a digest
)

func newFlood(c Config, row Kind, streams int, pull uint64, check func(*Message) error) (flood, error) {
	if pull < 1 {
		return flood{}, fmt.Errorf("pull is %d rounds, want at least 1", pull)
	}
	return flood{
		c: c, row: row, streams: streams, pull: pull, check: check,
		newest: slices.Repeat([]Message{NoMessage()}, streams*c.Peers()),
	}, nil
}

// holds reports whether a peer, this one or a neighbour, holds the rows of an origin.
func (f *flood) holds(p, origin Peer) bool { return f.reach == nil || f.reach[p][origin] }

// of returns the rows of an origin, by stream.
func (f *flood) of(p Peer) []Message {
	return f.newest[int(p)*f.streams:][:f.streams]
}

// held returns how far this peer has the rows of an origin without a gap: the label of the
// newest one, without its stream; false if there is a gap, or no row.
func (f *flood) held(p Peer) (newest Label, ok bool) {
	leaves := uint64(0)
	for _, m := range f.of(p) {
		if m.Kind() == 0 {
			continue
		}
		if !ok || Newer(m.Label(), newest) {
			newest, ok = m.Label(), true
		}
		if f.streams > 1 {
			leaves += m.Release(0).Span().To - m.Release(0).Span().From
		}
	}
	newest.Stream = 0
	return newest, ok && (f.streams == 1 || windowed(windowOf(newest), leaves) == newest.Seq)
}

// windowed returns the number of a row: window counts from 0, and leaves are those that the origin
// has closed in it.
func windowed(window, leaves uint64) uint64 { return window<<32 + leaves }

// windowOf returns the window of a row.
func windowOf(l Label) uint64 { return l.Seq >> 32 }

// over reports whether a row of label a is of a life, or a window, that is over if its origin has
// signed one of label b.
func over(a, b Label) bool {
	return a.Incarnation < b.Incarnation || a.Incarnation == b.Incarnation && windowOf(a) < windowOf(b)
}

// refs returns how far this peer has everybody's rows that a neighbour holds, too.
func (f *flood) refs(to Peer) []Label {
	refs := make([]Label, 0, f.c.Peers())
	for p := range f.c.Peers() {
		if l, ok := f.held(Peer(p)); ok && f.holds(to, Peer(p)) {
			refs = append(refs, l)
		}
	}
	return refs
}

// digest sends a neighbour a digest.
func (f *flood) digest(kind Kind, seq uint64, refs []Label, to Peer, out *Outbox) {
	out.Send(to, f.c.Press.Message(Content{
		Kind: kind, Label: Label{Origin: f.c.Self, Incarnation: f.c.Incarnation, Seq: seq}, Refs: refs,
	}))
}

// named returns how far the sender of a digest has everybody's rows, and whether this peer
// lacks some of those.
func (f *flood) named(m *Message) (theirs []Label, lacking bool, err error) {
	theirs = make([]Label, f.c.Peers())
	for i := range m.Refs() {
		l := m.Ref(i)
		if int(l.Origin) >= len(theirs) {
			return nil, false, m.Refuse("names peer %d of %d", l.Origin, len(theirs))
		}
		theirs[l.Origin] = l
		if l.Origin != f.c.Self && f.holds(f.c.Self, l.Origin) {
			held, ok := f.held(l.Origin)
			lacking = lacking || !ok || Newer(l, held)
		}
	}
	return theirs, lacking, nil
}

// serve sends a neighbour the rows that are newer than theirs, and returns how many.
func (f *flood) serve(to Peer, theirs []Label, out *Outbox) (sent int) {
	for i := range f.newest {
		m := f.newest[i]
		if m.Kind() != 0 && m.Label().Origin != to && f.holds(to, m.Label().Origin) && Newer(m.Label(), theirs[m.Label().Origin]) {
			out.Send(to, m)
			sent++
		}
	}
	return sent
}

// sign makes this peer's own row of a number and stream.
func (f *flood) sign(seq uint64, stream dp.StreamID, body []dp.Release) Message {
	m := f.c.Press.Signed(Content{
		Kind: f.row, Label: Label{Origin: f.c.Self, Incarnation: f.c.Incarnation, Stream: stream, Seq: seq}, Body: body,
	})
	f.keep(m)
	return m
}

// keep replaces what the row makes void: the older one of its stream, and those of earlier
// lives and windows of its origin.
func (f *flood) keep(m Message) {
	rows := f.of(m.Label().Origin)
	for i := range rows {
		if rows[i].Kind() != 0 && over(rows[i].Label(), m.Label()) {
			rows[i] = NoMessage()
		}
	}
	rows[m.Label().Stream] = m
}

// take keeps a row that arrived, and reports whether it is new.
func (f *flood) take(m Message) (news bool, err error) {
	if int(m.Label().Origin) >= f.c.Peers() || int64(m.Label().Stream) >= int64(f.streams) {
		return false, m.Refuse("origin of %d peers, stream of %d", f.c.Peers(), f.streams)
	}
	rows := f.of(m.Label().Origin)
	old := &rows[m.Label().Stream]
	if old.Kind() != 0 && !Newer(m.Label(), old.Label()) {
		return f.again(old, m)
	}
	if m.Label().Origin == f.c.Self {
		return false, m.Refuse("a row of mine that I never made")
	}
	for i := range rows {
		if rows[i].Kind() != 0 && over(m.Label(), rows[i].Label()) {
			return false, nil
		}
	}
	if err := f.verify(&m); err != nil {
		return false, err
	}
	f.keep(m)
	return true, nil
}

// verify refuses what is not a row that its origin signed.
func (f *flood) verify(m *Message) error {
	if err := f.check(m); err != nil {
		return err
	}
	if m.Refs() > 0 || m.Seals() > 0 || m.Round() != 0 {
		return m.Refuse("a row brings nothing but its releases")
	}
	if !f.c.Press.Authentic(*m) {
		return m.Refuse("not signed by its origin")
	}
	return nil
}

// again takes in a row whose number is known. An origin that signs two rows of one
// number lies or was cloned; so that all still agree, the one with the greater
// signature stays.
func (f *flood) again(old *Message, m Message) (news bool, err error) {
	if m.Label() != old.Label() || m.Label().Origin == f.c.Self || m.Signature() == old.Signature() {
		return false, nil
	}
	if err := f.verify(&m); err != nil {
		return false, err
	}
	if m.Signature() < old.Signature() {
		return false, m.Refuse("its origin signed two rows of that number; the other one stays")
	}
	f.keep(m)
	return true, nil
}

// fields visits the rows, and reports whether some were left out of a load that what peers agree on
// has made void.
func (f *flood) fields(v *state.Visitor) (void bool) {
	n := v.Len(len(f.newest))
	if n > len(f.newest) { // a network grows at its end
		v.Fail("%d rows, want up to %d", n, len(f.newest))
		n = 0
	}
	for i := range n {
		m := f.newest[i]
		if visitMessage(v, &m); !v.Loading() || m.Kind() == 0 {
			continue
		}
		if m.Kind() != f.row || int(m.Label().Origin) != i/f.streams || int(m.Label().Stream) != i%f.streams {
			v.Fail("row %d is not of peer %d and stream %d", i, i/f.streams, i%f.streams)
			break
		}
		// Signatures are bound to what peers agree on. After a change of that, others
		// would refuse the row, and its origin makes a new one.
		if f.check(&m) == nil && f.c.Press.Authentic(m) {
			f.newest[i] = m
		} else {
			void = true
		}
	}
	v.Uint(&f.pulled)
	return void
}
