package protocol

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
)

// flood is how protocols whose peers tell each other everything move it. A row is all that
// an origin has to say, signed by it; a newer row replaces an older one. So loss,
// duplication, reordering and late joining do no harm.
//
// A row spreads by topic where there is one, else from neighbour to neighbour, once each;
// what was missed is pulled: every pull rounds a peer sends one neighbour a digest of what
// it holds and gets what is newer; if the digest names newer rows than the neighbour's, the
// neighbour asks back. A neighbour is served once a round. While no row is new, digests may
// become rarer, up to rest times.
type flood struct {
	c      Config
	row    Kind // digest and want are the two after it
	pull   uint64
	check  func(*Message) error // refuses what is no row of its origin
	newest []Message            // by origin; empty before the first
	pulled uint64               // digests that were due
	served []bool               // neighbours, by place, in this round
	rest   uint64               // 1 for digests that never rest
	quiet  uint64               // how many times pull rounds have passed without a new row
}

// The kinds of messages of a flood, from that of its rows on.
const (
	floodDigest = 1 // the newest rows that the sender holds; asks for newer ones
	floodWant   = 2 // the same, in answer to a digest that named newer ones
)

func newFlood(c Config, row Kind, pull uint64, check func(*Message) error) (flood, error) {
	if pull < 1 {
		return flood{}, fmt.Errorf("pull is %d rounds, want at least 1", pull)
	}
	return flood{
		c: c, row: row, pull: pull, check: check, rest: 1,
		newest: slices.Repeat([]Message{noMessage()}, c.Peers()), served: make([]bool, len(c.Neighbours())),
	}, nil
}

// tick sends digests at the end of round t.
func (f *flood) tick(t Round, out *Outbox) {
	clear(f.served)
	due := (uint64(t) + 1) / f.pull
	if due <= f.pulled {
		return
	}
	before := f.quiet
	f.quiet += due - f.pulled
	f.pulled = due
	// After 1, 2, 4 and so on times pull, and from rest on every so often.
	again := bits.Len64(min(f.quiet, f.rest)) > bits.Len64(min(before, f.rest)) || f.quiet/f.rest > before/f.rest
	if n := len(f.c.Neighbours()); n > 0 && again {
		f.digest(f.row+floodDigest, uint64(t), f.c.Neighbours()[f.c.Rand.IntN(n)], out)
	}
}

// digest tells a neighbour what this peer holds. The number is that of the round,
// or of the digest that is answered.
func (f *flood) digest(kind Kind, seq uint64, to Peer, out *Outbox) {
	out.send(to, Message{&message{
		kind:  kind,
		label: Label{Origin: f.c.Self, Incarnation: f.c.Incarnation, Seq: seq},
		refs:  f.held(),
	}})
}

// publish sends this peer's own row of a number.
func (f *flood) publish(seq uint64, body []dp.Release, out *Outbox) {
	m := Message{&message{
		kind:  f.row,
		label: Label{Origin: f.c.Self, Incarnation: f.c.Incarnation, Seq: seq},
		body:  body,
	}}
	m.sig = f.c.Keys.Sign(appendContent(nil, m.message))
	f.newest[f.c.Self], f.quiet = m, 0
	f.forward(m, f.c.Self, out)
}

// forward sends m on to all but the peer that it came from and its origin.
func (f *flood) forward(m Message, from Peer, out *Outbox) {
	if f.c.Topic {
		if from == f.c.Self {
			out.send(Everyone, m)
		}
		return
	}
	for _, n := range f.c.Neighbours() {
		if n != from && n != m.label.Origin {
			out.send(n, m)
		}
	}
}

// receive takes in rows and digests, and reports whether a row is new.
func (f *flood) receive(from Peer, m Message, out *Outbox) (news bool, err error) {
	switch m.kind {
	case f.row:
		return f.take(from, m, out)
	case f.row + floodDigest, f.row + floodWant:
		return false, f.serve(from, m, out)
	default:
		return false, m.bad("unknown to this protocol")
	}
}

func (f *flood) take(from Peer, m Message, out *Outbox) (news bool, err error) {
	if int(m.label.Origin) >= len(f.newest) {
		return false, m.bad("origin of %d peers", len(f.newest))
	}
	old := &f.newest[m.label.Origin]
	if old.kind != 0 && !newer(m.label, old.label) {
		return f.again(old, m, from, out)
	}
	if m.label.Origin == f.c.Self {
		return false, m.bad("a row of mine that I never made")
	}
	if err := f.verify(&m); err != nil {
		return false, err
	}
	f.newest[m.label.Origin], f.quiet = m, 0
	f.forward(m, from, out)
	return true, nil
}

// verify refuses what is not a row that its origin signed.
func (f *flood) verify(m *Message) error {
	if err := f.check(m); err != nil {
		return err
	}
	if len(m.refs) > 0 || len(m.sealed) > 0 || m.round != 0 || m.hops != 0 {
		return m.bad("a row brings nothing but its releases")
	}
	if !f.c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig) {
		return m.bad("not signed by its origin")
	}
	return nil
}

// again takes in a row whose number is known. An origin that signs two rows of one
// number lies or was cloned; so that all still agree, the one with the greater
// signature stays.
func (f *flood) again(old *Message, m Message, from Peer, out *Outbox) (news bool, err error) {
	if m.label != old.label || m.label.Origin == f.c.Self || bytes.Equal(m.sig, old.sig) {
		return false, nil
	}
	if err := f.verify(&m); err != nil {
		return false, err
	}
	if bytes.Compare(m.sig, old.sig) < 0 {
		return false, m.bad("its origin signed two rows of that number; the other one stays")
	}
	f.newest[m.label.Origin], f.quiet = m, 0
	f.forward(m, from, out)
	return true, nil
}

// serve answers a digest with the rows that the sender does not hold, and asks for
// those that this peer does not.
func (f *flood) serve(from Peer, m Message, out *Outbox) error {
	i, ok := slices.BinarySearch(f.c.Neighbours(), from)
	if !ok {
		return m.bad("from peer %d, who is no neighbour", from)
	}
	held, lacking := make([]Label, len(f.newest)), false
	for _, l := range m.refs {
		if int(l.Origin) >= len(held) {
			return m.bad("names peer %d of %d", l.Origin, len(held))
		}
		held[l.Origin] = l
		lacking = lacking || l.Origin != f.c.Self && newer(l, f.newest[l.Origin].label)
	}
	if f.served[i] {
		return nil // enough for this round
	}
	f.served[i] = true
	for p := range f.newest {
		if row := &f.newest[p]; row.kind != 0 && Peer(p) != from && newer(row.label, held[p]) {
			out.send(from, *row)
		}
	}
	if lacking && m.kind == f.row+floodDigest {
		f.digest(f.row+floodWant, m.label.Seq, from, out)
	}
	return nil
}

func (f *flood) held() []Label {
	refs := make([]Label, 0, len(f.newest))
	for i := range f.newest {
		if f.newest[i].kind != 0 {
			refs = append(refs, f.newest[i].label)
		}
	}
	return refs
}

func (f *flood) save(w *state.Writer) {
	w.Uint(uint64(len(f.newest)))
	for i := range f.newest {
		writeMessage(w, &f.newest[i])
	}
	w.Uint(f.pulled)
	w.Uint(uint64(len(f.served)))
	for i, n := range f.c.Neighbours() {
		w.Uint(uint64(n))
		w.Bool(f.served[i])
	}
}

func (f *flood) load(r *state.Reader) {
	n := r.Len()
	if n > len(f.newest) { // a network grows at its end
		r.Fail("rows of %d peers, want %d", n, len(f.newest))
		n = 0
	}
	for i := range n {
		m := readMessage(r)
		if m.kind == 0 {
			continue
		}
		if m.kind != f.row || int(m.label.Origin) != i {
			r.Fail("row %d is not of peer %d", i, i)
			break
		}
		// Signatures are bound to what peers agree on. After a change of that, others
		// would refuse the row, and its origin makes a new one.
		if f.check(&m) == nil && f.c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig) {
			f.newest[i] = m
		}
	}
	f.pulled = r.Uint()
	for range r.Len() {
		p, served := Peer(r.Uint()), r.Bool()
		for i, n := range f.c.Neighbours() {
			if n == p {
				f.served[i] = served
			}
		}
	}
}
