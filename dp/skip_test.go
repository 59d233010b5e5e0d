package dp

import (
	"errors"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp/account"
)

// A life is a curator with the records that its own leaves hold, by number, and the
// nodes that it drew or knows from the lives that it was restored from.
type life struct {
	curator *Curator
	open    []int
	leaves  map[uint64][]int
	nodes   map[uint64]Release // by their last leaf
	closed  uint64             // leaves
	horizon uint64
}

func newLife(t *rapid.T, s Spec, src *Source) *life {
	d, err := NewCurator(Lockstep, account.Unlimited, src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = d.Open(s); err != nil {
		t.Fatal(err)
	}
	d.TakeCharges()
	return &life{curator: d, leaves: map[uint64][]int{}, nodes: map[uint64]Release{}, horizon: s.Leaves}
}

// backup returns what a backup of the life's folder is restored to.
func (l *life) backup(t *rapid.T, s Spec, src *Source) *life {
	state, err := l.curator.Save()
	if err != nil {
		t.Fatal(err)
	}
	b := newLife(t, s, src)
	if err = b.curator.Load(state); err != nil {
		t.Fatal(err)
	}
	b.open, b.closed = append(b.open, l.open...), l.closed
	for k, r := range l.leaves {
		b.leaves[k] = r
	}
	for k, n := range l.nodes {
		b.nodes[k] = n
	}
	return b
}

// value is what record i says.
func value(i int) float64 { return float64(i%7) / 8 }

func (l *life) add(t *rapid.T, shape int) {
	if err := l.curator.Add(0, []float64{value(shape)}); err != nil {
		t.Fatal(err)
	}
	l.open = append(l.open, shape)
}

// close closes the next leaf and checks all that it releases against the records
// and nodes of this life. It is false at the horizon.
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
	if got, want := leaf.Node.Count(0), len(l.under(leaf.Node.Span())); got != uint64(want) {
		t.Fatalf("leaf %d: %d records in its node, want %d", k, got, want)
	}
	sum, records := int64(0), 0
	for to := k; to > 0; to &= to - 1 {
		n, ok := l.nodes[to]
		if !ok {
			t.Fatalf("leaf %d needs the node that leaf %d completed, which this life does not know", k, to)
		}
		sum += n.Value(0)
		records += len(l.under(n.Span()))
		if leaf.Node.noise.Scale == 0 && n.Value(0) != l.exact(n.Span()) {
			t.Fatalf("leaf %d: node %v is %d, want %d", k, n.Span(), n.Value(0), l.exact(n.Span()))
		}
	}
	if all := len(l.under(Span{0, k})); records != all || leaf.Sum.Count(0) != uint64(all) {
		t.Fatalf("leaf %d: %d records in its nodes, %d in its sum, want %d", k, records, leaf.Sum.Count(0), all)
	}
	terms := uint32(bits.OnesCount64(k))
	if leaf.Node.noise.Scale == 0 {
		terms = 0
	}
	if leaf.Sum.Value(0) != sum || leaf.Sum.noise.VarianceUnits != terms*VarianceScale || leaf.Sum.Span() != (Span{0, k}) {
		t.Fatalf("leaf %d: sum %d of %d terms over %v, want %d of %d", k, leaf.Sum.Value(0), leaf.Sum.noise.VarianceUnits, leaf.Sum.Span(), sum, terms)
	}
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

// skip compares with the definition: the smallest m > k whose sum without its own
// node is one of nodes that were closed.
func (l *life) skip(t *rapid.T, k uint64) {
	want := l.closed + 1
	if k > l.closed {
		for want = k + 1; want <= l.horizon && want&(want-1) > l.closed; want++ {
		}
		want = min(want, l.horizon+1)
	}
	next, err := l.curator.Skip(0, k)
	if err != nil || next != want {
		t.Fatalf("%d closed, %d lost: next is %d, %v, want %d", l.closed, k, next, err, want)
	}
	if again, _ := l.curator.Skip(0, k); again != next {
		t.Fatalf("%d closed, %d lost: next is %d, then %d", l.closed, k, next, again)
	}
	l.closed = next - 1
	if got, err := l.curator.Closed(0); err != nil || got != l.closed {
		t.Fatalf("%d closed, %v, want %d", got, err, l.closed)
	}
}

// TestNoLifePaysTwice plays many lives, each restored from a backup that any earlier
// one made, and each after a Skip of what all before it closed. No node is drawn
// twice, and no record lies in two nodes of one level, over all lives: that is all
// that the proof of the tree asks for.
func TestNoLifePaysTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spec(rapid.Uint64Range(1, 200).Draw(t, "leaves"), rapid.SampledFrom([]Mechanism{Tree, None}).Draw(t, "mechanism"))
		type place struct{ shape, level int }
		drawn, in := map[Span]bool{}, map[place]Span{}
		backups := []*life{newLife(t, s, seeded(0))}
		shape, lost := 0, uint64(0)
		for n := range rapid.IntRange(2, 6).Draw(t, "lives") {
			l := rapid.SampledFrom(backups).Draw(t, "backup").backup(t, s, seeded(byte(n)))
			l.skip(t, lost)
			for range rapid.IntRange(0, 40).Draw(t, "steps") {
				switch rapid.IntRange(0, 4).Draw(t, "step") {
				case 0:
					backups = append(backups, l.backup(t, s, seeded(byte(n))))
				case 1, 2:
					l.add(t, shape)
					shape++
				default:
					node, ok := l.close(t)
					if !ok {
						continue
					}
					if drawn[node.Span()] {
						t.Fatalf("life %d: node %v is drawn twice", n, node.Span())
					}
					drawn[node.Span()] = true
					z := bits.TrailingZeros64(node.Span().To)
					for _, r := range l.under(node.Span()) {
						if before, ok := in[place{r, z}]; ok {
							t.Fatalf("life %d: record %d in the nodes %v and %v of one level", n, r, before, node.Span())
						}
						in[place{r, z}] = node.Span()
					}
				}
			}
			lost = max(lost, l.closed)
		}
	})
}

// TestSkip has the cases at the ends.
func TestSkip(t *testing.T) {
	for _, c := range []struct{ leaves, closed, lost, next uint64 }{
		{100, 0, 0, 1},
		{100, 7, 0, 8}, // nothing was lost
		{100, 7, 7, 8},
		{100, 0, 1, 2}, // a wiped disk
		{100, 0, 5, 8},
		{100, 0, 64, 101}, // the next power of two is past the horizon
		{128, 0, 64, 128},
		{100, 4, 5, 6}, // node (4, 6]
		{100, 4, 6, 8},
		{100, 5, 6, 8},
		{100, 6, 7, 8},
		{100, 96, 97, 98},
		{100, 96, 98, 100},
		{100, 96, 100, 101},
		{100, 100, 100, 101},
		{100, 50, 1 << 63, 101},
		{100, 50, math.MaxUint64, 101},
		{100, 100, math.MaxUint64, 101},
	} {
		d := open(t, spec(c.leaves, Tree), seeded(1))
		for k := uint64(1); k <= c.closed; k++ {
			if _, err := d.Leaf(0, k); err != nil {
				t.Fatal(err)
			}
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
	d := open(t, spec(1, Tree), seeded(1))
	if _, err := d.Skip(1, 0); err == nil {
		t.Error("a stream that was never opened skips")
	}
	if _, err := d.Closed(1); err == nil {
		t.Error("a stream that was never opened has closed leaves")
	}
}

// TestLeavesGivenUpArePaidFor where leaves pay one by one: at once, and no more by saving
// and loading.
func TestLeavesGivenUpArePaidFor(t *testing.T) {
	s := mechanismSpec(EachLaplace, 10)
	s.Sequential, s.Epsilon = true, Nano/4
	fresh := func() *Curator {
		d, err := NewCurator(Lockstep, account.Budget{Epsilon: Nano}, seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := fresh()
	if _, err := d.Open(s); err != nil {
		t.Fatal(err)
	}
	d.TakeCharges()
	if _, err := d.Leaf(0, 1); err != nil {
		t.Fatal(err)
	}
	d.TakeDrawn()
	if next, err := d.Skip(0, 3); err != nil || next != 4 || d.Spent().Pure != Nano*3/4 {
		t.Fatalf("next %d, %v, spent %v", next, err, d.Spent())
	}
	if next, err := d.Skip(0, 2); err != nil || next != 4 || d.Spent().Pure != Nano*3/4 {
		t.Errorf("again: next %d, %v, spent %v", next, err, d.Spent())
	}
	state, err := d.Save()
	if err != nil {
		t.Fatal(err)
	}
	if again := fresh(); again.Load(state) != nil || again.Spent() != d.Spent() {
		t.Errorf("loaded: spent %v, want %v", again.Spent(), d.Spent())
	}
	var refused *BudgetError
	if _, err := d.Skip(0, 5); !errors.As(err, &refused) {
		t.Errorf("more than the budget: %v", err)
	}
}
