package protocol

import (
	"bytes"
	"fmt"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

// The messages of rows.
const (
	rowsRow    Kind = 32 // an origin's newest running sums, signed
	rowsDigest Kind = 33 // the newest rows that the sender holds; asks for newer ones
	rowsWant   Kind = 34 // the same, in answer to a digest that named newer ones
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
	Every uint64 `want:"1..1073741824" unit:"rounds" fixed:"yes" doc:"Rounds between two rows of a site; fewer rows carry less noise."`
	Pull  uint64 `want:"1..1000000" unit:"rounds" doc:"Rounds between two digests, by which a peer learns of rows that it missed."`
	Merge Merge  `want:"mean|trimmed" doc:"How rows become one estimate: the mean over sites, or the mean without the f largest and f smallest."`
	F     int    `want:"1..1000000" unit:"peers" doc:"Number of lying sites to withstand, with merge: trimmed."`
	// Relays are idle: they have a role and no arms.
	Relays int `want:"0..1000000" unit:"peers" fixed:"yes" doc:"Number of relays: that many peers, the first ones of the network file, have no arms and only pass rows on."`
}

func rowsEntry() Entry {
	return define(
		Entry{
			Name: "rows", Summary: "every site's newest noised sums, signed, spread to all and merged locally",
			Kinds: []Kind{rowsRow, rowsDigest, rowsWant}, Leaf: "every",
		},
		RowsParams{Every: 20, Pull: 20, Merge: MergeMean, F: 1},
		typed[RowsParams]{
			cadence: func(p RowsParams) Cadence { return Cadence{Rounds: p.Every, Noun: "row"} },
			check: func(p RowsParams, n Net) (field, want string) {
				switch {
				case n.Horizon > 0 && p.Every > n.Horizon:
					return "every", "at most privacy.horizon, or no row is ever sent"
				case n.Peers > 0 && p.Relays >= n.Peers:
					return "relays", fmt.Sprintf("fewer than the %d peers, so that some have arms", n.Peers)
				case p.Merge == MergeTrimmed && n.Peers > 0 && p.F > (n.Peers-p.Relays-1)/2:
					return "f", fmt.Sprintf("at most %d with merge trimmed and %d peers with arms, or nothing is left to take the mean of", (n.Peers-p.Relays-1)/2, n.Peers-p.Relays)
				}
				return "", ""
			},
			alone: func(p RowsParams) RowsParams {
				p.Relays = 0
				return p
			},
			idle: rowsIdle,
			small: func(p RowsParams, leaf uint64) RowsParams {
				p.Every, p.Pull = leaf, min(p.Pull, leaf+1)
				return p
			},
			words: func(p RowsParams) Words {
				w := Words{Public: "how many rewards of every action each row holds"}
				if p.Merge == MergeTrimmed {
					w.Mixed = "; merge: trimmed leaves some out, and this is a guide"
				}
				return w
			},
			new: newRows,
		},
	)
}

// rows spreads every site's own releases as they are. A row is an origin's newest
// running sums of all arms with their counts, signed by the origin; a newer row
// replaces an older one, and everybody merges the newest of each origin locally.
// So loss, duplication, reordering and late joining do no harm: all who hold the
// same rows hold the same state.
//
// A row is released every Every rounds, an epoch, whether anything
// happened in it or not. It spreads by topic where there is one, else from
// neighbour to neighbour, once each; what was missed is pulled: every Pull rounds
// a peer sends one neighbour a digest of what it holds and gets what is newer; if
// the digest names newer rows than the neighbour's, the neighbour asks back. A
// neighbour is served once a round.
//
// Within an epoch a peer learns nothing new of its own and would choose one arm all
// the time. So that its choices go to different arms, the SampleVar of an own mean counts
// all choices so far, as if those without a released reward had paid what is known
// (Desautels, Krause and Burdick 2014); when their rewards are out that is true
// again. Its noise is that of the released sum. Past the horizon no epoch ends any
// more, and only released pulls count.
type rows struct {
	c       Config
	p       RowsParams
	newest  []Message // by origin; empty before the first
	pulled  uint64    // digests that were due
	served  []bool    // neighbours, by place, in this round
	silent  bool      // the horizon is reached
	stale   []bool    // arms to merge again
	belief  belief.Belief
	samples []sample  // scratch of merge
	column  []float64 // scratch of trimmed
}

// rowsIdle reports whether a peer is a relay.
func rowsIdle(p RowsParams, peer Peer) bool { return int64(peer) < int64(p.Relays) }

func newRows(c Config, p RowsParams) (Protocol, error) {
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
	return &rows{
		c: c, p: p, newest: slices.Repeat([]Message{noMessage()}, c.Peers()), stale: make([]bool, c.Parts),
		served: make([]bool, len(c.Neighbours())), belief: belief.New(c.Parts, 1),
	}, nil
}

// Chosen counts the pull.
func (r *rows) Chosen(arm int) {
	r.belief.Pulls[arm]++
	r.stale[arm] = true
}

// Tick sends digests.
func (r *rows) Tick(t Round, out *Outbox) error {
	clear(r.served)
	due := (uint64(t) + 1) / r.p.Pull
	if n := len(r.c.Neighbours()); n > 0 && due > r.pulled {
		r.pulled = due
		r.digest(rowsDigest, uint64(t), r.c.Neighbours()[r.c.Rand.IntN(n)], out)
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

// Released makes a row of the sums of all arms.
func (r *rows) Released(own []Own, out *Outbox) error {
	sums := make([]dp.Release, len(own))
	for k := range own {
		if own[k].Over {
			r.silent = true
			for k := range r.stale {
				r.stale[k] = true
			}
			return nil
		}
		sums[k] = own[k].Leaf.Sum
	}
	row, err := dp.Concat(sums)
	if err != nil {
		return err
	}
	m := Message{&message{
		kind:  rowsRow,
		label: Label{Origin: r.c.Self, Incarnation: r.c.Incarnation, Seq: own[0].Number},
		body:  []dp.Release{row},
	}}
	m.sig = r.c.Keys.Sign(appendContent(nil, m.message))
	r.hold(m)
	r.forward(m, r.c.Self, out)
	return nil
}

// hold makes m the newest row of its origin.
func (r *rows) hold(m Message) {
	r.newest[m.label.Origin] = m
	for k := range r.stale {
		r.stale[k] = true
	}
}

// forward sends m on to all but the peer that it came from and its origin.
func (r *rows) forward(m Message, from Peer, out *Outbox) {
	if r.c.Topic {
		if from == r.c.Self {
			out.send(Everyone, m)
		}
		return
	}
	for _, n := range r.c.Neighbours() {
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
	r.forward(m, from, out)
	return nil
}

// check refuses what is not a row that its origin signed.
func (r *rows) check(m *Message) error {
	if len(m.body) != 1 || m.body[0].Len() != r.c.Parts || m.body[0].Counts() != r.c.Parts {
		return m.bad("want one release of %d values and counts", r.c.Parts)
	}
	if rowsIdle(r.p, m.label.Origin) {
		return m.bad("a relay has no rewards, so no row is its own")
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
	r.forward(m, from, out)
	return nil
}

// serve answers a digest with the rows that the sender does not hold, and asks for
// those that this peer does not.
func (r *rows) serve(from Peer, m Message, out *Outbox) error {
	i, ok := slices.BinarySearch(r.c.Neighbours(), from)
	if !ok {
		return m.bad("from peer %d, who is no neighbour", from)
	}
	held, lacking := make([]Label, len(r.newest)), false
	for _, l := range m.refs {
		if int(l.Origin) >= len(held) {
			return m.bad("names peer %d of %d", l.Origin, len(held))
		}
		held[l.Origin] = l
		lacking = lacking || l.Origin != r.c.Self && newer(l, r.newest[l.Origin].label)
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
	if lacking && m.kind == rowsDigest {
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
func (r *rows) Belief() *belief.Belief {
	for k, stale := range r.stale {
		if stale {
			r.merge(k)
			r.stale[k] = false
		}
	}
	return &r.belief
}
