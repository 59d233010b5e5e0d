package dp

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// drawn plays a private stream of kary and returns what it drew, and what it hid, leaf by leaf.
func drawn(t *testing.T, s Spec, reward float64, leaves uint64) (d *Curator, nodes [][]Release, hidden []Secret) {
	t.Helper()
	d = private(t, s)
	for k := uint64(1); k <= leaves; k++ {
		require.NoError(t, d.Add(0, []float64{reward}))
		require.Value(d.Leaf(0, k))(t)
		nodes = append(nodes, slices.Clone(d.TakeDrawn()))
		hidden = append(hidden, d.Hidden())
	}
	return d, nodes, hidden
}

func private(t *testing.T, s Spec) *Curator {
	t.Helper()
	d, err := NewCurator(Private, vouch.For(budgetOf(t, s)), NewSecureSource())
	if err == nil {
		_, err = d.Open(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.TakeCharges()
	return d
}

// replayLeaf closes leaf k with a reward from what an earlier life drew and hid.
func replayLeaf(d *Curator, k uint64, reward float64, nodes []Release, hidden Secret) error {
	d.Replay(nodes, hidden)
	if err := d.Add(0, []float64{reward}); err != nil {
		return err
	}
	if _, err := d.Leaf(0, k); err != nil {
		return err
	}
	return d.Replayed()
}

// TestHiddenNoiseIsRestoredWhole: a replay with none, less or more of it is refused.
func TestHiddenNoiseIsRestoredWhole(t *testing.T) {
	s := mechanismSpec(Kary, Kary.Describe().Small)
	const leaves = 12 // beyond a carry
	_, nodes, hidden := drawn(t, s, 1, leaves)
	most := 0
	for k := range hidden {
		if len(hidden[k].Bytes()) > len(hidden[most].Bytes()) {
			most = k
		}
	}
	b := hidden[most].Bytes()
	for name, x := range map[string]struct {
		hidden []byte
		ok     bool
	}{
		"as it was": {b, true}, "none": {nil, false}, "less": {b[:len(b)/2], false}, "more": {append(slices.Clone(b), 0), false},
	} {
		d := private(t, s)
		for k := range most {
			require.NoError(t, replayLeaf(d, uint64(k)+1, 1, nodes[k], hidden[k]))
		}
		if err := replayLeaf(d, uint64(most)+1, 1, nodes[most], NewSecret(vouch.For(x.hidden))); (err == nil) != x.ok || err != nil && !errors.Is(err, ErrReplay) {
			t.Errorf("%s: %v", name, err)
		}
		if x.ok {
			d.TakeDrawn()
			if !slices.Equal(d.Hidden().Bytes(), nodesHidden(hidden[:most+1])) {
				t.Errorf("%s: other noise is hidden than was restored", name)
			}
		}
	}
}

func nodesHidden(list []Secret) (all []byte) {
	for _, s := range list {
		all = append(all, s.Bytes()...)
	}
	return all
}

// TestOnlyKaryHidesNoise: and none with a seed, which draws it again.
func TestOnlyKaryHidesNoise(t *testing.T) {
	for _, m := range Mechanisms() {
		for _, src := range []*Source{NewSecureSource(), seeded(1)} {
			d := open(t, mechanismSpec(m, 8), src)
			require.Value(d.Leaf(0, 1))(t)
			d.TakeDrawn()
			if got, want := len(d.Hidden().Bytes()) > 0, src.Private() && m.Describe().SharesNoise; got != want {
				t.Errorf("%v, private %v: noise is hidden %v, want %v", m, src.Private(), got, want)
			}
		}
	}
}

// TestATwinDrawsTheSameAndNothingNew: over other records, with the same noise, a stream releases
// the same, also over a restart. It cannot continue by itself.
func TestATwinDrawsTheSameAndNothingNew(t *testing.T) {
	s := mechanismSpec(Kary, Kary.Describe().Small)
	const leaves = 30
	_, nodes, hidden := drawn(t, s, 1, leaves+1)
	twin := private(t, s)
	for k := range leaves {
		require.NoError(t, replayLeaf(twin, uint64(k)+1, float64(k%2), nodes[k], hidden[k]))
		if got := twin.TakeDrawn(); !slices.EqualFunc(got, nodes[k], sameRelease) {
			t.Fatalf("leaf %d: drew %v, want %v", k+1, got, nodes[k])
		}
		state := require.Value(twin.Save())(t)
		twin = private(t, s)
		require.NoError(t, twin.Load(state))
	}
	if _, err := twin.Leaf(0, leaves+1); !errors.Is(err, ErrReplay) {
		t.Errorf("a twin goes on: %v", err)
	}
}

// TestARestartDrawsNothing: the time of a restart does not depend on noise except for reading it.
// No mechanism takes a word from its source while a saved state is loaded and later leaves are
// replayed; the next leaf does.
func TestARestartDrawsNothing(t *testing.T) {
	for _, m := range Mechanisms() {
		if m == None {
			continue
		}
		const leaves = 40 // beyond carries of kary
		s := mechanismSpec(m, 100)
		_, nodes, hidden := drawn(t, s, 1, leaves)
		again := private(t, s)
		touched := func() bool { return !reflect.ValueOf(again.src).Elem().FieldByName("buf").IsNil() }
		for k := range leaves {
			if k == leaves/2 {
				state := require.Value(again.Save())(t)
				again = private(t, s)
				require.NoError(t, again.Load(state))
			}
			require.NoError(t, replayLeaf(again, uint64(k)+1, 1, nodes[k], hidden[k]))
			again.TakeDrawn()
		}
		if touched() {
			t.Errorf("%v: noise is drawn in a restart", m)
		}
		for k := uint64(leaves) + 1; k <= leaves+10; k++ { // kary's sums can rest on nodes that are all drawn
			require.Value(again.Leaf(0, k))(t)
		}
		if !touched() {
			t.Errorf("%v: ten leaves after the restart have no noise of their own", m)
		}
	}
}
