package dp

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// A move is what a node does with its curator: it adds a record, or closes the next leaf.
type move struct {
	stream StreamID
	x      []float64 // nil to close a leaf
}

func anyMoves(s Spec) *rapid.Generator[[]move] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) move {
		m := move{stream: StreamID(rapid.IntRange(0, s.Streams-1).Draw(t, "stream"))}
		if rapid.Bool().Draw(t, "add") {
			m.x = rapid.SliceOfN(rapid.Float64Range(s.Lo, s.Hi), s.Dim, s.Dim).Draw(t, "record")
		}
		return m
	}), 0, 60)
}

// make plays moves and returns what the leaves released.
func (d *Curator) make(moves []move) (all []Leaf, err error) {
	for _, m := range moves {
		if m.x != nil {
			if err = d.Add(m.stream, m.x); err != nil {
				return all, err
			}
			continue
		}
		closed, err := d.Closed(m.stream)
		if err != nil {
			return all, err
		}
		l, err := d.Leaf(m.stream, closed+1)
		if errors.Is(err, ErrHorizon) {
			continue
		}
		if err != nil {
			return all, err
		}
		all = append(all, *l)
	}
	return all, nil
}

func sameLeaf(a, b Leaf) bool { return a.Node.Equal(b.Node) && a.Sum.Equal(b.Sum) }

func sameRelease(a, b Release) bool { return a.Equal(b) }

func open2(t *rapid.T, mode Mode, s Spec, src *Source) *Curator {
	d, err := NewCurator(mode, vouch.For(budgetOf(t, s)), src)
	if err != nil {
		t.Fatal(err)
	}
	require.Value(d.Open(s))(t)
	d.TakeCharges()
	return d
}

func anyCurator(t *rapid.T) (Spec, func() *Curator) {
	s := anySpec().Draw(t, "spec")
	s.Leaves = rapid.Uint64Range(1, 20).Draw(t, "leaves")
	if rapid.Bool().Draw(t, "private") {
		s.Mechanism = Tree
		return s, func() *Curator { return open2(t, Private, s, NewSecureSource()) }
	}
	return s, func() *Curator { return open2(t, Lockstep, s, seeded(1)) }
}

// TestAChangedRecordIsNotReplayed: a node that is changed, missing, superfluous or out of order
// is refused, by the leaf or at the end, and nothing is drawn instead.
func TestAChangedRecordIsNotReplayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, fresh := anyCurator(t)
		first, second := fresh(), fresh()
		moves := append(anyMoves(s).Draw(t, "moves"), move{stream: 0}, move{stream: 0})
		require.Value(first.make(moves))(t)
		nodes := slices.Clone(first.TakeDrawn())
		i := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
		n := nodes[i]
		changes := []func(){
			func() { nodes = slices.Delete(nodes, i, i+1) },
			func() { nodes = slices.Insert(nodes, i, n) },
			func() { n.stream++; nodes[i] = n },
			func() { n.span.From++; nodes[i] = n },
			func() { n.span.To++; nodes[i] = n },
			func() { n.count = []uint64{n.count[0] + 1}; nodes[i] = n },
			func() { n.count = nil; nodes[i] = n },
			func() { n.v = append(n.v[:len(n.v):len(n.v)], 0); nodes[i] = n },
			func() { n.v = nil; nodes[i] = n },
			func() { n.e++; nodes[i] = n },
			func() { n.noise.Scale++; nodes[i] = n },
			func() { n.noise.VarianceUnits++; nodes[i] = n },
			func() { nodes[i] = Release{} },
		}
		if j := rapid.IntRange(0, len(nodes)-1).Draw(t, "other"); j != i {
			changes = append(changes, func() { nodes[i], nodes[j] = nodes[j], nodes[i] })
		}
		if first.mode == Lockstep { // private noise cannot be recomputed
			changes = append(changes, func() { n.v = slices.Clone(n.v); n.v[0]++; nodes[i] = n })
		}
		rapid.SampledFrom(changes).Draw(t, "change")()

		second.Replay(nodes, first.Hidden())
		_, err := second.make(moves)
		if err == nil {
			err = second.Replayed()
		}
		if !errors.Is(err, ErrReplay) {
			t.Fatalf("%v, want %v", err, ErrReplay)
		}
		if errors.Is(second.Replayed(), ErrReplay) != (second.replay != nil) {
			t.Fatal("the replay ended by itself")
		}
		if _, err := second.Save(); err == nil {
			t.Fatal("a curator in a replay was saved")
		}
	})
}

// TestAReplayLeavesNothingOver: with a node that no leaf took, the replay is not over, and
// nothing is drawn.
func TestAReplayLeavesNothingOver(t *testing.T) {
	for _, m := range []Mechanism{Tree, Kary, BLT} {
		s := mechanismSpec(m, 8)
		_, nodes, hidden := drawn(t, s, 1, 3)
		d := private(t, s)
		for k := range nodes {
			d.Replay(nodes[k], hidden[k])
		}
		for k := uint64(1); k <= 3; k++ {
			if err := d.Replayed(); !errors.Is(err, ErrReplay) {
				t.Errorf("%v: %d of 3 leaves are replayed, and the replay ends: %v", m, k-1, err)
			}
			require.NoError(t, d.Add(0, []float64{1}))
			require.Value(d.Leaf(0, k))(t)
		}
		if err := d.Replayed(); err != nil {
			t.Errorf("%v: all leaves are replayed: %v", m, err)
		}
	}
}
