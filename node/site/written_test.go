package site

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// written returns how many bytes the store's log has on the disk.
func (r *rig) written() (bytes int64) {
	r.t.Helper()
	names, err := r.disk.List(dir)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, n := range names {
		if strings.HasSuffix(n, ".log") {
			i, err := r.disk.Stat(r.disk.PathJoin(dir, n))
			if err != nil {
				r.t.Fatal(err)
			}
			bytes += i.Size()
		}
	}
	return bytes
}

// TestLateReportsWriteAsMuchAsNone: over the life of a decision, until it is forgotten, as many bytes are written whether its report is
// late, was in time, is late twice or never comes.
func TestLateReportsWriteAsMuchAsNone(t *testing.T) {
	bytes := make(map[string]int64)
	for _, late := range []string{"", "a", "b", "ab", "abab"} {
		r := newRig(t, usual(stated, AtWindow).repeatable(1))
		r.start()
		for _, id := range []string{"a", "b", "c"} {
			r.ask(decision.Ask{ID: id})
		}
		r.clock.add(window + time.Millisecond)
		for _, id := range strings.Split(late, "") {
			if _, err := r.report(id, 1); refused(t, err) != decision.Expired {
				t.Fatal(err)
			}
		}
		r.clock.add(r.rules.Keep + 2*window)
		r.rounds(2)
		if _, err := r.report("a", 1); refused(t, err) != decision.Unknown {
			t.Fatal(err)
		}
		bytes[late] = r.written()
		r.stop()
	}
	for late, n := range bytes {
		if n != bytes[""] {
			t.Errorf("with late reports of %q %d bytes are written, and %d without", late, n, bytes[""])
		}
	}
}

// TestAsksWriteAsMuchWhateverTheirNumbers: an ask with other features, zeros included, writes as many bytes.
func TestAsksWriteAsMuchWhateverTheirNumbers(t *testing.T) {
	for _, own := range []bool{false, true} {
		var want int64
		for i, x := range [][3]float64{{.1, .2, .3}, {0, 0, 0}, {.1, 0, 0}, {0, .2, .3}, {.1, .2, 0}, {-1e-300, .9, 1.0 / 3}, {.6, math.SmallestNonzeroFloat64, -.7}} {
			s := usual(byFeatures()[0], AtWindow).repeatable(1)
			s.inputs = bandit.Inputs{Map: bandit.Interactions, Context: 2, Action: 1}
			s.arms = []string{"red", "tan", "sky"} // of one length: which is chosen follows from features
			r := newRig(t, s)
			r.start()
			ask := decision.Ask{ID: "a", Context: x[:2]}
			for k := range 3 {
				if f := []float64{x[2] / float64(1+k)}; own {
					ask.Actions = append(ask.Actions, decision.Action{ID: fmt.Sprint(k), Features: f})
				} else {
					ask.Features = append(ask.Features, f)
				}
			}
			before := r.written()
			r.ask(ask)
			if n := r.written() - before; i == 0 {
				want = n
			} else if n != want {
				t.Errorf("numbers %v, own actions %t: %d bytes are written, and %d for others", x, own, n, want)
			}
			r.stop()
		}
	}
}
