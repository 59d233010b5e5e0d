package dp

import (
	"errors"
	"slices"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// TestReleasesAreImmutable: no slice that a Release was made of, or that it returns, is its own,
// so nothing can be written into it.
func TestReleasesAreImmutable(t *testing.T) {
	f := Fields{Stream: 1, Span: Span{From: 0, To: 1}, Count: []uint64{7}, Value: []int64{5, 6}}
	r := require.Value(Received(vouch.For(f)))(t)
	f.Count[0], f.Value[0] = 8, 8
	out := r.Fields()
	out.Count[0], out.Value[1] = 9, 9
	_ = append(out.Value[:1], 9)
	if r.Count(0) != 7 || r.Value(0) != 5 || r.Value(1) != 6 {
		t.Errorf("%+v, want what was received", r.Fields())
	}

	sealed := []byte("sealed")
	s := require.Value(ReceivedSealed(vouch.For(sealed)))(t)
	clear(sealed)
	clear(s.Bytes())
	if string(s.Bytes()) != "sealed" {
		t.Errorf("%q, want what was received", s.Bytes())
	}
}

// TestReleasesOfACuratorAreImmutable: what a curator returns neither changes with it nor changes
// it.
func TestReleasesOfACuratorAreImmutable(t *testing.T) {
	for _, m := range Mechanisms() {
		if m == None {
			continue
		}
		t.Run(m.String(), func(t *testing.T) {
			d := private(t, mechanismSpec(m, 8))
			var all []Release
			var before []Fields
			for k := range uint64(8) {
				require.NoError(t, d.Add(0, []float64{1}))
				leaf := require.Value(d.Leaf(0, k+1))(t)
				for _, r := range []Release{leaf.Node, leaf.Sum} {
					f := r.Fields()
					all, before = append(all, r), append(before, r.Fields())
					for i := range f.Value {
						f.Value[i]++
					}
				}
				d.TakeDrawn()
			}
			for i, r := range all {
				if got := r.Fields(); !slices.Equal(got.Value, before[i].Value) || !slices.Equal(got.Count, before[i].Count) {
					t.Errorf("release %d is %v, was %v", i, got, before[i])
				}
			}
		})
	}
}

// TestEqualComparesEveryField: a replay uses it to compare a node with the recorded one.
func TestEqualComparesEveryField(t *testing.T) {
	fresh := func() Release {
		return Release{1, Span{From: 2, To: 4}, []uint64{3}, []int64{5, 6}, -20, Noise{Law: Gaussian, Scale: 7, VarianceUnits: 8}}
	}
	if !fresh().Equal(fresh()) {
		t.Error("a release differs from itself")
	}
	for name, change := range map[string]func(*Release){
		"stream":   func(r *Release) { r.stream++ },
		"from":     func(r *Release) { r.span.From-- },
		"to":       func(r *Release) { r.span.To++ },
		"count":    func(r *Release) { r.count[0]++ },
		"counts":   func(r *Release) { r.count = nil },
		"value":    func(r *Release) { r.v[1]++ },
		"values":   func(r *Release) { r.v = r.v[:1] },
		"exponent": func(r *Release) { r.e-- },
		"law":      func(r *Release) { r.noise.Law = Laplace },
		"scale":    func(r *Release) { r.noise.Scale++ },
		"terms":    func(r *Release) { r.noise.VarianceUnits++ },
	} {
		r := fresh()
		if change(&r); r.Equal(fresh()) || fresh().Equal(r) {
			t.Errorf("another %s is the same release", name)
		}
	}
}

func TestConcatRefusesWhatDoesNotFit(t *testing.T) {
	if _, err := Concat([]Release{{v: []int64{1}, e: 1}, {v: []int64{1}, e: 2}}); !errors.Is(err, ErrShape) {
		t.Errorf("put different lattices behind one another: %v", err)
	}
	if _, err := Concat(nil); !errors.Is(err, ErrShape) {
		t.Errorf("nothing behind nothing: %v", err)
	}
}
