package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"peerd.dev/dp"
)

// Merge names how the rows of all origins become one estimate.
type Merge string

// The ways to merge.
const (
	// MergeMean takes the mean over origins of every arm's sample mean.
	MergeMean Merge = "mean"
	// MergeTrimmed leaves out the F greatest and the F least of them, and of what
	// they say of their pulls and noise.
	MergeTrimmed Merge = "trimmed"
)

// RowsParams are the parameters of protocol rows.
type RowsParams struct {
	Every uint64 // rounds between two rows of a site
	Pull  uint64 // rounds between two digests sent to a neighbour
	Merge Merge
	F     int // lying origins to withstand, for MergeTrimmed
}

// rows spreads every site's own releases as they are. A row is an origin's newest
// running sums of all arms with their counts, signed by the origin; a newer row
// replaces an older one, and everybody merges the newest of each origin locally.
// So loss, duplication, reordering and late joining do no harm: all who hold the
// same rows hold the same state.
//
// A row is released at the end of every slot of Every rounds, whether anything
// happened in it or not. It spreads by topic where there is one, else from
// neighbour to neighbour, once each; what was missed is pulled: every Pull rounds
// a peer sends one neighbour a digest of what it holds and gets what is newer; if
// the digest names newer rows than the neighbour's, the neighbour asks back. A
// neighbour is served once a round.
//
// Within a slot a peer learns nothing new of its own and would choose one arm all
// the time. So that it spreads its choices, the Spread of an own mean is that of
// all choices so far, as if those without a released reward had paid what is known
// (Desautels, Krause and Burdick 2014); when their rewards are out that is true
// again. Its noise is that of the released sum. Past the horizon no slot ends any
// more, and only released pulls count.
type rows struct {
	c      Config
	p      RowsParams
	newest []Message // by origin; empty before the first
	slot   uint64    // own leaves closed
	closed uint64    // slots that have ended; a busy daemon skips rounds and so may close one leaf for several
	pulled uint64    // digests that were due
	served []bool    // neighbours, by place, in this round
	silent bool      // the horizon is reached
	stale  []bool    // arms to merge again
	belief Belief
	cells  []cell    // scratch of merge
	column []float64 // scratch of trimmed
}

// cell is one origin's sample mean of one arm.
type cell struct {
	mean, n float64
	noise   dp.Spread
}

func newRows(c Config, p RowsParams) (*rows, error) {
	switch {
	case p.Every < 1:
		return nil, fmt.Errorf("rows: every is %d rounds, want at least 1", p.Every)
	case p.Pull < 1:
		return nil, fmt.Errorf("rows: pull is %d rounds, want at least 1", p.Pull)
	case p.Merge != MergeMean && p.Merge != MergeTrimmed:
		return nil, fmt.Errorf("rows: merge %q, want mean or trimmed", p.Merge)
	case p.Merge == MergeTrimmed && p.F < 1:
		return nil, fmt.Errorf("rows: f is %d, want at least 1 with merge trimmed", p.F)
	}
	var slot uint64
	for k := range c.Arms {
		slot = max(slot, c.closed(k)) // all streams are closed together
	}
	return &rows{c: c, p: p, slot: slot, newest: slices.Repeat([]Message{noMessage()}, c.Peers), stale: make([]bool, c.Arms), served: make([]bool, len(c.Neighbours)), belief: newBelief(c.Arms)}, nil
}

// Chosen counts the pull.
func (r *rows) Chosen(arm int) {
	r.belief.Pulls[arm]++
	r.stale[arm] = true
}

// Pulled does nothing: the record waits at the door for the end of the slot.
func (r *rows) Pulled(int, *Outbox) error { return nil }

// Tick releases a row at the end of a slot and sends digests.
func (r *rows) Tick(t Round, out *Outbox) error {
	if slots := (uint64(t) + 1) / r.p.Every; slots > r.closed && !r.silent {
		r.closed = slots
		if err := r.release(out); err != nil {
			return err
		}
	}
	clear(r.served)
	due := (uint64(t) + 1) / r.p.Pull
	if n := len(r.c.Neighbours); n > 0 && due > r.pulled {
		r.pulled = due
		r.digest(rowsDigest, uint64(t), r.c.Neighbours[r.c.Rand.IntN(n)], out)
	}
	return nil
}

// digest tells a neighbour what this peer holds. The number is that of the round,
// or of the digest that is answered.
func (r *rows) digest(kind Kind, seq uint64, to Peer, out *Outbox) {
	out.send(to, Message{&message{
		kind:  kind,
		label: Label{Origin: r.c.Self, Incarnation: r.c.Incarnation, Seq: seq},
		refs:  r.held(),
	}})
}

func (r *rows) release(out *Outbox) error {
	r.slot++
	sums := make([]dp.Release, r.c.Arms)
	for k := range sums {
		leaf, err := r.c.Draw.Leaf(dp.StreamID(k), r.slot)
		if errors.Is(err, dp.ErrHorizon) {
			r.silent = true
			for k := range r.stale {
				r.stale[k] = true
			}
			return nil
		}
		if err != nil {
			return err
		}
		sums[k] = leaf.Sum
	}
	row, err := dp.Concat(sums)
	if err != nil {
		return err
	}
	m := Message{&message{
		kind:  rowsRow,
		label: Label{Origin: r.c.Self, Incarnation: r.c.Incarnation, Seq: r.slot},
		body:  []dp.Release{row},
	}}
	m.sig = r.c.Keys.Sign(appendContent(nil, m.message))
	r.hold(m)
	r.spread(m, r.c.Self, out)
	return nil
}

// hold makes m the newest row of its origin.
func (r *rows) hold(m Message) {
	r.newest[m.label.Origin] = m
	for k := range r.stale {
		r.stale[k] = true
	}
}

// spread sends m on to all but the peer that it came from and its origin.
func (r *rows) spread(m Message, from Peer, out *Outbox) {
	if r.c.Topic {
		if from == r.c.Self {
			out.send(Everyone, m)
		}
		return
	}
	for _, n := range r.c.Neighbours {
		if n != from && n != m.label.Origin {
			out.send(n, m)
		}
	}
}

// Receive takes in rows and digests.
func (r *rows) Receive(from Peer, m Message, out *Outbox) error {
	switch m.kind {
	case rowsRow:
		return r.take(from, m, out)
	case rowsDigest, rowsWant:
		return r.serve(from, m, out)
	default:
		return m.bad("unknown to protocol rows")
	}
}

func (r *rows) take(from Peer, m Message, out *Outbox) error {
	if int(m.label.Origin) >= len(r.newest) {
		return m.bad("origin of %d peers", len(r.newest))
	}
	old := &r.newest[m.label.Origin]
	if old.kind != 0 && !newer(m.label, old.label) {
		return r.again(old, m, from, out)
	}
	if m.label.Origin == r.c.Self {
		return m.bad("a row of mine that I never made")
	}
	if err := r.check(&m); err != nil {
		return err
	}
	r.hold(m)
	r.spread(m, from, out)
	return nil
}

// check refuses what is not a row that its origin signed.
func (r *rows) check(m *Message) error {
	if len(m.body) != 1 || m.body[0].Len() != r.c.Arms || m.body[0].Counts() != r.c.Arms {
		return m.bad("want one release of %d values and counts", r.c.Arms)
	}
	if len(m.refs) > 0 || len(m.sealed) > 0 || m.round != 0 || m.hops != 0 {
		return m.bad("a row brings nothing but its release")
	}
	if !r.c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig) {
		return m.bad("not signed by its origin")
	}
	return nil
}

// again takes in a row whose number is known. An origin that signs two rows of one
// number lies or was cloned; so that all still agree, the one with the greater
// signature stays.
func (r *rows) again(old *Message, m Message, from Peer, out *Outbox) error {
	if m.label != old.label || m.label.Origin == r.c.Self || bytes.Equal(m.sig, old.sig) {
		return nil
	}
	if err := r.check(&m); err != nil {
		return err
	}
	if bytes.Compare(m.sig, old.sig) < 0 {
		return m.bad("its origin signed two rows of that number; the other one stays")
	}
	r.hold(m)
	r.spread(m, from, out)
	return nil
}

// serve answers a digest with the rows that the sender does not hold, and asks for
// those that this peer does not.
func (r *rows) serve(from Peer, m Message, out *Outbox) error {
	i, ok := slices.BinarySearch(r.c.Neighbours, from)
	if !ok {
		return m.bad("from peer %d, who is no neighbour", from)
	}
	held, behind := make([]Label, len(r.newest)), false
	for _, l := range m.refs {
		if int(l.Origin) >= len(held) {
			return m.bad("names peer %d of %d", l.Origin, len(held))
		}
		held[l.Origin] = l
		behind = behind || l.Origin != r.c.Self && newer(l, r.newest[l.Origin].label)
	}
	if r.served[i] {
		return nil // enough for this round
	}
	r.served[i] = true
	for p := range r.newest {
		if row := &r.newest[p]; row.kind != 0 && Peer(p) != from && newer(row.label, held[p]) {
			out.send(from, *row)
		}
	}
	if behind && m.kind == rowsDigest {
		r.digest(rowsWant, m.label.Seq, from, out)
	}
	return nil
}

func (r *rows) held() []Label {
	refs := make([]Label, 0, len(r.newest))
	for i := range r.newest {
		if r.newest[i].kind != 0 {
			refs = append(refs, r.newest[i].label)
		}
	}
	return refs
}

// Belief merges the newest rows.
func (r *rows) Belief() *Belief {
	for k, stale := range r.stale {
		if stale {
			r.merge(k)
			r.stale[k] = false
		}
	}
	return &r.belief
}

func (r *rows) merge(k int) {
	r.cells = r.cells[:0]
	for i := range r.newest {
		if c, ok := r.cell(Peer(i), k); ok {
			r.cells = append(r.cells, c)
		}
	}
	f := 0
	if r.p.Merge == MergeTrimmed {
		f = r.p.F
		if len(r.cells) <= 2*f { // too few to tell liars apart: trust nobody but oneself
			f, r.cells = 0, r.cells[:0]
			if c, ok := r.cell(r.c.Self, k); ok {
				r.cells = append(r.cells, c)
			}
		}
	}
	b := &r.belief
	b.Mean[k], b.Spread[k] = 0, inf
	b.noise(k, dp.Spread{})
	if len(r.cells) == 0 {
		return
	}
	m := float64(len(r.cells) - 2*f)
	b.Mean[k], _ = r.trimmed(f, func(c *cell) float64 { return c.mean })
	spread, _ := r.trimmed(f, func(c *cell) float64 { return 1 / c.n })
	v, _ := r.trimmed(f, func(c *cell) float64 { return c.noise.V })
	_, most := r.trimmed(f, func(c *cell) float64 { return c.noise.B })
	g, _ := r.trimmed(f, func(c *cell) float64 { return c.noise.G })
	b.Spread[k] = spread / m
	b.noise(k, dp.Spread{V: v / m, B: most / m, G: g / m})
}

// trimmed returns the mean of what the cells say of one thing, without the f
// greatest and the f least, and the greatest that is left. Each thing is trimmed by
// itself: a liar with a mean in the middle could else claim one pull, or no noise,
// and so set how sure everybody is.
func (r *rows) trimmed(f int, of func(c *cell) float64) (mean, most float64) {
	r.column = r.column[:0]
	for i := range r.cells {
		r.column = append(r.column, of(&r.cells[i]))
	}
	kept := r.column
	if f > 0 {
		slices.Sort(kept)
		kept = kept[f : len(kept)-f]
	}
	for _, x := range kept {
		mean += x / float64(len(kept))
		most = max(most, x)
	}
	return mean, most
}

// cell returns what the newest row of an origin says of arm k.
func (r *rows) cell(p Peer, k int) (cell, bool) {
	if r.newest[p].kind == 0 || r.newest[p].body[0].Count(k) == 0 {
		return cell{}, false
	}
	body := &r.newest[p].body[0]
	released := float64(body.Count(k))
	n := released
	if p == r.c.Self && !r.silent {
		n = max(n, float64(r.belief.Pulls[k])) // an earlier incarnation may have pulled more
	}
	return cell{body.At(k) / released, n, body.Spread().Over(released)}, true
}
