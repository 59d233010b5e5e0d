// Package spread has what families of protocols share: floods of signed rows, anti-entropy between neighbours, totals of
// own releases, shortest paths, the limits of what a peer can claim, and visits of saved states.
package spread

import (
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// Flood holds the rows of all origins that this peer has. A row contains an origin's sums of one
// stream, or of all, signed by the origin; a newer row replaces an older one. So loss, duplication,
// reordering and late joining do no harm.
//
// An origin numbers its rows over all its streams. With several streams, the number of a row is the
// number of leaves that its origin had closed in all of them. So a peer knows that it has all rows
// of an origin if the leaves in them add up to the greatest number. Such rows can belong to
// windows, which are numbered; see [windowed]. Rows of earlier windows are void.
type Flood struct {
	C       protocol.Config
	Row     protocol.Kind
	streams int // with rows of their own, per origin
	Pull    uint64
	check   func(*protocol.Message) error // refuses what is no row of its origin
	Reach   map[protocol.Peer][]bool      // origins whose rows this peer and its neighbours hold; nil for all
	Newest  []protocol.Message            // by origin and stream; empty before the first
	Pulled  uint64                        // number of digests that were due
	changes uint64                        // of Newest, from 1
}

// The kinds of messages of a flood, relative to the kind of its rows.
const (
	FloodDigest = 1 // labels of the sender's newest rows; asks for newer ones
	FloodWant   = 2 // the same as an answer to a digest
)

// NewFlood returns a flood without rows. row is the kind of a row; its digest and the answer to one are the next two
// kinds. check refuses what is no row of the protocol.
func NewFlood(c protocol.Config, row protocol.Kind, streams int, pull uint64, check func(*protocol.Message) error) Flood {
	return Flood{
		C: c, Row: row, streams: streams, Pull: pull, check: check, changes: 1,
		Newest: slices.Repeat([]protocol.Message{protocol.NoMessage()}, streams*c.Peers()),
	}
}

// Holds reports whether a peer, this one or a neighbour, holds the rows of an origin.
func (f *Flood) Holds(p, origin protocol.Peer) bool { return f.Reach == nil || f.Reach[p][origin] }

// of returns the rows of an origin, by stream.
func (f *Flood) of(p protocol.Peer) []protocol.Message {
	return f.Newest[int(p)*f.streams:][:f.streams]
}

// held returns the label of the newest row of an origin, without its stream, if this peer has all
// its rows; false if a row is missing, or there is none.
func (f *Flood) held(p protocol.Peer) (newest protocol.Label, ok bool) {
	leaves := uint64(0)
	for _, m := range f.of(p) {
		if m.Kind() == 0 {
			continue
		}
		if !ok || protocol.Newer(m.Label(), newest) {
			newest, ok = m.Label(), true
		}
		if f.streams > 1 {
			leaves += m.Release(0).Span().To - m.Release(0).Span().From
		}
	}
	newest.Stream = 0
	return newest, ok && (f.streams == 1 || windowed(windowOf(newest), leaves) == newest.Seq)
}

// windowed returns the number of a row: window counts from 0, and leaves is the number that the
// origin has closed in it.
func windowed(window, leaves uint64) uint64 { return window<<32 + leaves }

// windowOf returns the window of a row.
func windowOf(l protocol.Label) uint64 { return l.Seq >> 32 }

// precedes reports whether a row with label a belongs to a life, or a window, that is over once its
// origin has signed a row with label b.
func precedes(a, b protocol.Label) bool {
	return a.Incarnation < b.Incarnation || a.Incarnation == b.Incarnation && windowOf(a) < windowOf(b)
}

// Refs returns the labels of the newest rows of every origin that a neighbour holds too.
func (f *Flood) Refs(to protocol.Peer) []protocol.Label {
	refs := make([]protocol.Label, 0, f.C.Peers())
	for p := range f.C.Peers() {
		if l, ok := f.held(protocol.Peer(p)); ok && f.Holds(to, protocol.Peer(p)) {
			refs = append(refs, l)
		}
	}
	return refs
}

// Digest sends a neighbour a digest.
func (f *Flood) Digest(kind protocol.Kind, seq uint64, refs []protocol.Label, to protocol.Peer, out *protocol.Outbox) {
	out.Send(to, f.C.Press.Message(protocol.Content{
		Kind: kind, Label: protocol.Label{Origin: f.C.Self, Incarnation: f.C.Incarnation, Seq: seq}, Refs: refs,
	}))
}

// Named returns the labels in a neighbour's digest, by origin, and whether this peer lacks a row that
// they name.
func (f *Flood) Named(from protocol.Peer, m *protocol.Message) (theirs []protocol.Label, lacking bool, err error) {
	if m.Label().Origin != from {
		return nil, false, m.Refuse("a digest of peer %d from peer %d", m.Label().Origin, from)
	}
	theirs = make([]protocol.Label, f.C.Peers())
	for i := range m.Refs() {
		l := m.Ref(i)
		if int(l.Origin) >= len(theirs) {
			return nil, false, m.Refuse("names peer %d of %d", l.Origin, len(theirs))
		}
		theirs[l.Origin] = l
		if l.Origin != f.C.Self && f.Holds(f.C.Self, l.Origin) {
			held, ok := f.held(l.Origin)
			lacking = lacking || !ok || protocol.Newer(l, held)
		}
	}
	return theirs, lacking, nil
}

// Serve sends a neighbour the rows that are newer than theirs, and returns how many.
func (f *Flood) Serve(to protocol.Peer, theirs []protocol.Label, out *protocol.Outbox) (sent int) {
	for i := range f.Newest {
		m := f.Newest[i]
		if m.Kind() != 0 && m.Label().Origin != to && f.Holds(to, m.Label().Origin) && protocol.Newer(m.Label(), theirs[m.Label().Origin]) {
			out.Send(to, m)
			sent++
		}
	}
	return sent
}

// Sign makes this peer's own row of a number and stream.
func (f *Flood) Sign(seq uint64, stream dp.StreamID, body []dp.Release) protocol.Message {
	m := f.C.Press.Signed(protocol.Content{
		Kind: f.Row, Label: protocol.Label{Origin: f.C.Self, Incarnation: f.C.Incarnation, Stream: stream, Seq: seq}, Body: body,
	})
	f.keep(m)
	return m
}

// keep stores a row in place of the rows that it makes void: the older one of its stream, and all
// rows of earlier lives and windows of its origin. It reports whether there were any of those.
func (f *Flood) keep(m protocol.Message) (over bool) {
	rows := f.of(m.Label().Origin)
	for i := range rows {
		if rows[i].Kind() != 0 && precedes(rows[i].Label(), m.Label()) {
			rows[i], over = protocol.NoMessage(), true
		}
	}
	rows[m.Label().Stream] = m
	f.changes++
	return over
}

// Take keeps a row that arrived, and reports whether it is new, and whether it makes rows of other streams void.
func (f *Flood) Take(m protocol.Message) (news, over bool, err error) {
	if int(m.Label().Origin) >= f.C.Peers() || int64(m.Label().Stream) >= int64(f.streams) {
		return false, false, m.Refuse("origin of %d peers, stream of %d", f.C.Peers(), f.streams)
	}
	rows := f.of(m.Label().Origin)
	old := &rows[m.Label().Stream]
	if old.Kind() != 0 && !protocol.Newer(m.Label(), old.Label()) {
		news, err = f.again(old, m)
		return news, false, err
	}
	if m.Label().Origin == f.C.Self {
		return false, false, m.Refuse("a row of mine that I never made")
	}
	for i := range rows {
		if rows[i].Kind() != 0 && precedes(m.Label(), rows[i].Label()) {
			return false, false, nil
		}
	}
	if err := f.verify(&m); err != nil {
		return false, false, err
	}
	return true, f.keep(m), nil
}

// verify refuses what is not a row that its origin signed.
func (f *Flood) verify(m *protocol.Message) error {
	if err := f.check(m); err != nil {
		return err
	}
	if m.Refs() > 0 || len(m.Sealed()) > 0 || m.Round() != 0 {
		return m.Refuse("a row brings nothing but its releases")
	}
	if !f.C.Press.Authentic(*m) {
		return m.Refuse("not signed by its origin")
	}
	return nil
}

// again processes a row with a known number. An origin that signs two rows with one number lies or
// was cloned; the one with the greater signature stays, so that all peers still agree.
func (f *Flood) again(old *protocol.Message, m protocol.Message) (news bool, err error) {
	if m.Label() != old.Label() || m.Label().Origin == f.C.Self || m.Signature() == old.Signature() {
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

// Fields visits the rows, and reports whether some were left out of a load that what peers agree on
// has made void.
func (f *Flood) Fields(v *state.Visitor) (void bool) {
	n := v.Len(len(f.Newest))
	if n > len(f.Newest) { // new peers are at the end of a network
		v.Fail("%d rows, want up to %d", n, len(f.Newest))
		n = 0
	}
	for i := range n {
		m := f.Newest[i]
		if VisitMessage(v, &m); !v.Loading() || m.Kind() == 0 {
			continue
		}
		if m.Kind() != f.Row || int(m.Label().Origin) != i/f.streams || int(m.Label().Stream) != i%f.streams {
			v.Fail("row %d is not of peer %d and stream %d", i, i/f.streams, i%f.streams)
			break
		}
		// Signatures are bound to the policy and to the origin's present key. After a change of either
		// other peers refuse the row until its origin, this peer or another, has signed it again.
		authentic := f.C.Press.Authentic(m)
		void = void || !authentic
		if !authentic && m.Label().Origin == f.C.Self {
			m, authentic = f.C.Press.Signed(m.Content()), true
		}
		if authentic && f.check(&m) == nil {
			f.Newest[i] = m
			f.changes++
		} else {
			void = true
		}
	}
	v.Uint(&f.Pulled)
	return void
}
