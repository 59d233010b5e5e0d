package rows

import (
	"testing"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// TestSilentOriginsLeave: after seven eighths of all rounds without a new row, if they are replaceable, and only until a new
// row arrives.
func TestSilentOriginsLeave(t *testing.T) {
	s := newSilence(5)
	replaceable := func(p protocol.Peer) bool { return p != 2 && p != 3 }
	for r := range protocol.Round(800) {
		if r < 100 {
			for p := range protocol.Peer(5) {
				s.hear(p)
			}
		}
		if r == 500 {
			s.hear(4)
		}
		if s.end(r, 0, 0, replaceable) {
			t.Fatalf("left in round %d: %v", r, s.gone)
		}
	}
	left := protocol.Round(0)
	for r := protocol.Round(800); r < 1000 && left == 0; r++ {
		if s.end(r, 0, 0, replaceable) {
			left = r
		}
	}
	if left > 820 || left == 0 || !s.gone[1] || s.gone[0] || s.gone[2] || s.gone[3] || s.gone[4] {
		t.Fatalf("round %d: %v", left, s.gone)
	}

	// A saved state continues; in a larger network, too.
	loaded := newSilence(6)
	if err := state.Load(state.Save(3, s.fields), 3, loaded.fields); err != nil {
		t.Fatal(err)
	}
	if !loaded.gone[1] || loaded.heard[4] != s.heard[4] || loaded.due != s.due {
		t.Errorf("loaded %+v, saved %+v", loaded, s)
	}
	few := newSilence(4)
	if state.Load(state.Save(3, s.fields), 3, few.fields) == nil {
		t.Error("a state of more origins was loaded")
	}

	if s.hear(1); s.gone[1] {
		t.Error("an origin that is heard again is left out")
	}
}

// TestSilenceCountsTheRoundsOfAWindow: what was before its start does not replaceable.
func TestSilenceCountsTheRoundsOfAWindow(t *testing.T) {
	s := newSilence(2)
	replaceable := func(protocol.Peer) bool { return true }
	s.round = 10_000
	s.hear(1)
	for r := protocol.Round(10_001); r < 10_808; r++ {
		if s.end(r, 9_900, 0, replaceable) {
			if r < 10_700 {
				t.Errorf("left in round %d", r)
			}
			return
		}
	}
	t.Error("a silent origin stays")
}

// TestWhoIsReplaceable: an origin with under an eighth of this peer's rewards, whose means are this peer's as far as noise
// lets one see. One that has more rewards, or other means, or none, stays.
func TestWhoIsReplaceable(t *testing.T) {
	noise := func(n float64) dp.NoiseMoments { return dp.NoiseMoments{LaplaceSumSq: 1 / (n * n), LaplaceMax: 1 / n} }
	for _, c := range []struct {
		means []float64
		n     float64
		want  bool
	}{
		{[]float64{.5, .4, .3}, 10, true},
		{[]float64{.7, .3, .1}, 10, true}, // within errors
		{[]float64{1, 0, 1}, 10, false},
		{[]float64{.7, .3, .1}, 124, false}, // not within errors any more
		{[]float64{.5, .4, .3}, 124, true},
		{[]float64{.5, .4, .3}, 126, false},
		{nil, 0, false},
	} {
		r := merger{sites: make([][]belief.Site, 3), sample: func(p protocol.Peer, k int) (belief.Site, bool) {
			if p == 0 {
				return Site(p, []float64{.5, .4, .3}[k], 1000, 1000, noise(1000)), true
			}
			if c.means == nil {
				return belief.Site{}, false
			}
			return Site(p, c.means[k], c.n, c.n, noise(c.n)), true
		}}
		if got := r.replaceable(1, r.rewards(0, spread.Inf)); got != c.want {
			t.Errorf("means %v of %v rewards: %v", c.means, c.n, got)
		}
	}
}
