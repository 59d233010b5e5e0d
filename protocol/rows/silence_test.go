package rows

import (
	"testing"

	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// TestSilentOriginsLeave: after seven eighths of all rounds without a new row, with under an eighth of one's own rewards, and
// only until a new row arrives. An origin with many rewards, or none, and this peer itself stay.
func TestSilentOriginsLeave(t *testing.T) {
	rewards := []float64{1000, 100, 130, 0, 100}
	s := newSilence(5)
	count := func(p protocol.Peer) float64 { return rewards[p] }
	for r := range protocol.Round(800) {
		if r < 100 {
			for p := range protocol.Peer(5) {
				s.hear(p)
			}
		}
		if r == 500 {
			s.hear(4)
		}
		if s.end(r, 0, 0, count) {
			t.Fatalf("left in round %d: %v", r, s.gone)
		}
	}
	left := protocol.Round(0)
	for r := protocol.Round(800); r < 1000 && left == 0; r++ {
		if s.end(r, 0, 0, count) {
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
	earlier := newSilence(5)
	earlier.round = 300
	if err := state.Load([]byte{2}, 2, earlier.fields); err != nil || earlier.heard[1] != 300 {
		t.Errorf("of an earlier version: %v, %+v", err, earlier)
	}

	if s.hear(1); s.gone[1] {
		t.Error("an origin that is heard again is left out")
	}
}

// TestSilenceCountsTheRoundsOfAWindow: what was before its start does not count.
func TestSilenceCountsTheRoundsOfAWindow(t *testing.T) {
	s := newSilence(2)
	count := func(p protocol.Peer) float64 { return []float64{1000, 10}[p] }
	s.round = 10_000
	s.hear(1)
	for r := protocol.Round(10_001); r < 10_808; r++ {
		if s.end(r, 9_900, 0, count) {
			if r < 10_700 {
				t.Errorf("left in round %d", r)
			}
			return
		}
	}
	t.Error("a silent origin stays")
}
