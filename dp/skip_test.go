package dp

import (
	"errors"
	"maps"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// A life is a curator with the records in its own leaves, by number, and the nodes of its part,
// which it drew or knows from the lives from which it was restored. A part is what is drawn
// between two restarts of the mechanism, over all lives.
type life struct {
	curator *Curator
	open    []int
	leaves  map[uint64][]int
	nodes   map[uint64]Release // of this part, by their last leaf
	closed  uint64             // leaves
	horizon uint64
	part    int
	base    uint64  // leaves before the part
	newest  Release // sum
	before  Release // the sum at base
}

func newLife(t *rapid.T, s Spec, src *Source) *life {
	d, err := NewCurator(Lockstep, vouch.For(account.Unlimited), src)
	if err != nil {
		t.Fatal(err)
	}
	require.Value(d.Open(s))(t)
	d.TakeCharges()
	return &life{curator: d, leaves: map[uint64][]int{}, nodes: map[uint64]Release{}, horizon: s.Leaves}
}

// backup returns the life that is restored from a backup of the life's folder.
func (l *life) backup(t *rapid.T, s Spec, src *Source) *life {
	state, err := l.curator.Save()
	if err != nil {
		t.Fatal(err)
	}
	b := newLife(t, s, src)
	require.NoError(t, b.curator.Load(state))
	b.open, b.closed = append(b.open, l.open...), l.closed
	b.part, b.base, b.newest, b.before = l.part, l.base, l.newest, l.before
	maps.Copy(b.leaves, l.leaves)
	maps.Copy(b.nodes, l.nodes)
	return b
}

// value returns the number in record i.
func value(i int) float64 { return float64(i%7) / 8 }

func (l *life) add(t *rapid.T, shape int) {
	require.NoError(t, l.curator.Add(0, []float64{value(shape)}))
	l.open = append(l.open, shape)
}

// close closes the next leaf and checks everything that it releases against the records and nodes
// of this life. It returns false at the horizon.
func (l *life) close(t *rapid.T) (Release, bool) {
	k := l.closed + 1
	leaf, err := l.curator.Leaf(0, k)
	if k > l.horizon {
		if !errors.Is(err, ErrHorizon) {
			t.Fatalf("leaf %d of %d: %v", k, l.horizon, err)
		}
		return Release{}, false
	}
	if err != nil {
		t.Fatal(err)
	}
	l.curator.TakeDrawn()
	l.leaves[k], l.open, l.closed = l.open, nil, k
	l.nodes[k] = leaf.Node
	if got, want := leaf.Node.Count(0), len(l.under(leaf.Node.Span())); got != uint64(want) || leaf.Node.Span().From < l.base {
		t.Fatalf("leaf %d: %d records in node %v, want %d of leaves after %d", k, got, leaf.Node.Span(), want, l.base)
	}
	var sum int64
	var records uint64
	var terms uint32
	if l.before.Len() > 0 {
		sum, records, terms = l.before.Value(0), l.before.Count(0), l.before.noise.VarianceUnits
	}
	for to := k - l.base; to > 0; to &= to - 1 {
		n, ok := l.nodes[to+l.base]
		if !ok {
			t.Fatalf("leaf %d needs the node that leaf %d completed, which this life does not know", k, to+l.base)
		}
		sum += n.Value(0)
		records += uint64(len(l.under(n.Span())))
		terms += n.noise.VarianceUnits
		if leaf.Node.noise.Scale == 0 && n.Value(0) != l.exact(n.Span()) {
			t.Fatalf("leaf %d: node %v is %d, want %d", k, n.Span(), n.Value(0), l.exact(n.Span()))
		}
	}
	if leaf.Sum.Value(0) != sum || leaf.Sum.Count(0) != records || leaf.Sum.noise.VarianceUnits != terms || leaf.Sum.Span() != (Span{From: 0, To: k}) {
		t.Fatalf("leaf %d: sum %d of %d records and %d terms over %v, want %d of %d and %d", k, leaf.Sum.Value(0), leaf.Sum.Count(0), leaf.Sum.noise.VarianceUnits, leaf.Sum.Span(), sum, records, terms)
	}
	l.newest = leaf.Sum
	return leaf.Node, true
}

// under returns the records of this life in a span.
func (l *life) under(s Span) (records []int) {
	for k := s.From + 1; k <= s.To; k++ {
		records = append(records, l.leaves[k]...)
	}
	return records
}

func (l *life) exact(s Span) (sum int64) {
	for _, r := range l.under(s) {
		q, _ := Quantize(value(r), 0, 1)
		sum += q
	}
	return sum
}

// skip begins a part after leaf k, without the records of the open leaf.
func (l *life) skip(t *rapid.T, k uint64, part int) {
	next, err := l.curator.Skip(0, k)
	if want := max(l.closed, min(k, l.horizon)) + 1; err != nil || next != want {
		t.Fatalf("%d closed, %d lost: next is %d, %v, want %d", l.closed, k, next, err, want)
	}
	if again, _ := l.curator.Skip(0, k); again != next {
		t.Fatalf("%d closed, %d lost: next is %d, then %d", l.closed, k, next, again)
	}
	if got, err := l.curator.Closed(0); err != nil || got != next-1 {
		t.Fatalf("%d closed, %v, want %d", got, err, next-1)
	}
	l.closed, l.base, l.part, l.before, l.open = next-1, next-1, part, l.newest, nil
	clear(l.nodes)
}

// TestARecordIsInOnePart plays many lives, each restored from a backup that any earlier one made,
// and each after a Skip of any number of leaves, possibly fewer than were lost: what neighbours
// remember may be too little. No node of a part is drawn twice, and no record is in nodes of two
// parts, or in two of one level: the proof needs no more.
func TestARecordIsInOnePart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spec(rapid.Uint64Range(1, 200).Draw(t, "leaves"), rapid.SampledFrom([]Mechanism{Tree, None}).Draw(t, "mechanism"))
		type place struct{ shape, level int }
		type node struct {
			part int
			span Span
		}
		drawn, in, parts := map[node]bool{}, map[place]Span{}, map[int]int{}
		backups := []*life{newLife(t, s, seeded(0))}
		shape, part := 0, 0
		for n := range rapid.IntRange(2, 6).Draw(t, "lives") {
			l := rapid.SampledFrom(backups).Draw(t, "backup").backup(t, s, seeded(byte(n)))
			if n > 0 && l.closed < l.horizon {
				part++
				l.skip(t, l.closed+rapid.Uint64Range(1, 40).Draw(t, "lost"), part)
			}
			for range rapid.IntRange(0, 40).Draw(t, "steps") {
				switch rapid.IntRange(0, 4).Draw(t, "step") {
				case 0:
					backups = append(backups, l.backup(t, s, seeded(byte(n))))
				case 1, 2:
					l.add(t, shape)
					shape++
				default:
					newest, ok := l.close(t)
					if !ok {
						continue
					}
					over := newest.Span()
					if drawn[node{l.part, over}] {
						t.Fatalf("life %d: node %v is drawn twice", n, over)
					}
					drawn[node{l.part, over}] = true
					z := bits.TrailingZeros64(over.To - l.base)
					for _, r := range l.under(over) {
						if p, ok := parts[r]; ok && p != l.part {
							t.Fatalf("life %d: record %d in the parts %d and %d", n, r, p, l.part)
						}
						if before, ok := in[place{r, z}]; ok {
							t.Fatalf("life %d: record %d in two nodes of one level, %v first", n, r, before)
						}
						parts[r], in[place{r, z}] = l.part, over
					}
				}
			}
		}
	})
}

// TestSkip has the cases at the ends.
func TestSkip(t *testing.T) {
	for _, m := range []Mechanism{Tree, EachLaplace} {
		for _, c := range []struct{ leaves, closed, lost, next uint64 }{
			{100, 0, 0, 1},
			{100, 7, 0, 8}, // nothing was lost
			{100, 7, 7, 8},
			{100, 0, 1, 2}, // a wiped disk
			{100, 0, 64, 65},
			{100, 6, 7, 8},
			{100, 96, 99, 100},
			{100, 96, 100, 101},
			{100, 100, 100, 101},
			{100, 50, 1 << 63, 101},
			{100, 50, math.MaxUint64, 101},
			{100, 100, math.MaxUint64, 101},
		} {
			d := open(t, spec(c.leaves, m), seeded(1))
			for k := uint64(1); k <= c.closed; k++ {
				require.Value(d.Leaf(0, k))(t)
			}
			next, err := d.Skip(0, c.lost)
			if err != nil || next != c.next {
				t.Errorf("%d of %d closed, %d lost: next is %d, %v, want %d", c.closed, c.leaves, c.lost, next, err, c.next)
			}
			want := error(nil)
			if next > c.leaves {
				want = ErrHorizon
			}
			if _, err := d.Leaf(0, next); !errors.Is(err, want) {
				t.Errorf("%d of %d closed, %d lost: leaf %d: %v, want %v", c.closed, c.leaves, c.lost, next, err, want)
			}
		}
	}
	d := open(t, spec(1, Tree), seeded(1))
	if _, err := d.Skip(1, 0); err == nil {
		t.Error("a stream that was never opened skips")
	}
	if _, err := d.Closed(1); err == nil {
		t.Error("a stream that was never opened has closed leaves")
	}
}
