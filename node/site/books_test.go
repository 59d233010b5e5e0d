package site

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
	"peerd.dev/protocol"
)

// books is what others know of a site, over all of its lives: every node of every tree that may
// have left it. A node that is known must never have another value.
type books struct {
	t     testing.TB
	nodes map[drawn]*ledger.Release
	leafs map[string]leaf                           // the leaf of each record, by the record's name
	names func(s dp.StreamID, leaf uint64) []string // of the records in a leaf of the site's present life; may be nil
}

func newBooks(t testing.TB) *books {
	return &books{t: t, nodes: make(map[drawn]*ledger.Release), leafs: make(map[string]leaf)}
}

// part identifies what is drawn between two beginnings of a stream, over all lives, by the line
// of the ledger with which it begins.
type part = ledger.Hash

// drawn is a node of a part.
type drawn struct {
	part part
	place
}

// leaf is a leaf of a part.
type leaf struct {
	part   part
	stream dp.StreamID
	number uint64
}

// place is a node's place in the tree of a stream.
type place struct {
	stream   dp.StreamID
	from, to uint64
}

// start is where a stream began, or began again after a gap: after a leaf, on top of a sum.
type start struct {
	leaf  uint64
	value int64
	count uint64
}

// draft is the ledger of one life, as it grows.
type draft struct {
	lines    [][]byte
	seqs     []uint64
	releases []*ledger.Release // by line; nil for others
	nodes    map[place]*ledger.Release
	newest   []uint64 // last released leaf, by stream
	starts   []start  // by stream
	gone     int      // lines that have left
	parts    []part   // by line
	verifier *check.Verifier
}

func newDraft() *draft {
	return &draft{nodes: make(map[place]*ledger.Release), verifier: check.NewVerifier()}
}

// add checks lines as a reader of the ledger would.
func (d *draft) add(t testing.TB, lines [][]byte) {
	t.Helper()
	for _, line := range lines {
		if err := d.verifier.Line(line); err != nil {
			t.Fatalf("ledger: %v", err)
		}
		parsed, err := ledger.ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		now := ledger.HashOf(line)
		switch parsed.Body.(type) {
		case *ledger.Genesis, *ledger.Gap:
		default:
			now = d.parts[len(d.parts)-1]
		}
		d.parts = append(d.parts, now)
		r, _ := parsed.Body.(*ledger.Release)
		if r != nil {
			d.nodes[place{r.Stream, r.From, r.To}] = r
			d.newest[r.Stream] = r.To
		}
		if o, ok := parsed.Body.(*ledger.Open); ok {
			d.newest, d.starts = append(d.newest, make([]uint64, o.Streams)...), append(d.starts, make([]start, o.Streams)...)
		}
		if g, ok := parsed.Body.(*ledger.Gap); ok {
			for i, next := range g.Next {
				value, count := d.sum(t, dp.StreamID(i), d.newest[i])
				d.starts[i] = start{next - 1, value, count}
			}
		}
		d.lines, d.seqs, d.releases = append(d.lines, line), append(d.seqs, parsed.Seq), append(d.releases, r)
	}
}

// leaves records that everything in a ledger up to a checkpoint may have left.
func (b *books) leaves(d *draft, m protocol.Checkpoint) {
	b.t.Helper()
	for ; d.gone < len(d.lines); d.gone++ {
		if d.seqs[d.gone] >= m.Records {
			break
		}
		if r := d.releases[d.gone]; r != nil {
			b.leave(d.parts[d.gone], r)
		}
	}
	if n := d.gone; n == 0 || d.seqs[n-1] != m.Records-1 || ledger.HashOf(d.lines[n-1]) != m.Head {
		b.t.Fatalf("a message left with a checkpoint of %d records that is not this ledger's, which has %d lines", m.Records, len(d.lines))
	}
}

// leave records that a node of a part may have left. The node must not have left with another
// value, and no record in it may be in another leaf, of any life.
func (b *books) leave(p part, r *ledger.Release) {
	b.t.Helper()
	at := drawn{p, place{r.Stream, r.From, r.To}}
	for k := r.From + 1; b.names != nil && k <= r.To; k++ {
		for _, name := range b.names(r.Stream, k) {
			now := leaf{p, r.Stream, k}
			if old, ok := b.leafs[name]; ok && old != now {
				b.t.Fatalf("record %s is under the noise of two leaves: %d of stream %d in part %v, and %d of stream %d in part %v", name, old.number, old.stream, old.part, k, r.Stream, p)
			}
			b.leafs[name] = now
		}
	}
	old, ok := b.nodes[at]
	if !ok {
		b.nodes[at] = r
		return
	}
	if old.Values[0] != r.Values[0] || old.Counts[0] != r.Counts[0] || old.Noise != r.Noise {
		b.t.Fatalf("node %+v was released twice:\n%v\n%v", at, old, r)
	}
}

// covered checks that the content of a message of the site is in a ledger.
func covered(t testing.TB, x *setting, d *draft, m protocol.Message) {
	t.Helper()
	if m.Label().Origin != self {
		return
	}
	switch {
	case x.protocol == stated && m.Body() == 1:
		row := m.Release(0)
		for arm := range x.arms {
			value, count := d.sum(t, dp.StreamID(arm), m.Label().Seq)
			if row.Value(arm) != value || row.Count(arm) != count {
				t.Fatalf("row %d says %d of %d pulls of arm %d, the ledger %d of %d", m.Label().Seq, row.Value(arm), row.Count(arm), arm, value, count)
			}
		}
	case x.protocol == averaged && m.Body() == 2:
		counts := m.Release(1)
		for arm := range x.arms {
			if _, most := d.sum(t, dp.StreamID(arm), d.newest[arm]); counts.Count(arm) > most {
				t.Fatalf("a message says %d pulls of arm %d, the ledger of %d", counts.Count(arm), arm, most)
			}
		}
	}
}

// sum returns the running sum of a stream at a leaf: the sum of the nodes at the leaf's set bits
// and of the sum on which the stream began.
func (d *draft) sum(t testing.TB, s dp.StreamID, leaf uint64) (value int64, count uint64) {
	t.Helper()
	begun := d.starts[s]
	value, count = begun.value, begun.count
	for to := leaf - min(leaf, begun.leaf); to > 0; to &= to - 1 {
		r, ok := d.nodes[place{s, to&(to-1) + begun.leaf, to + begun.leaf}]
		if !ok {
			t.Fatalf("the sum of stream %d up to leaf %d needs the node of leaf %d, which is not in the ledger", s, leaf, to+begun.leaf)
		}
		value += r.Values[0]
		count += r.Counts[0]
	}
	return value, count
}
