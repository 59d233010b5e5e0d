package site

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

// beyond is a world with features above or exactly at the bound; without features it pays more
// than 1.
type beyond struct {
	bandit.World
	features int
	times    float64
}

func (w beyond) Turn(round uint64) bandit.Turn {
	t := w.World.Turn(round)
	for i := range t.Features {
		t.Features[i] = append(bandit.Features{w.times}, make(bandit.Features, len(t.Features[i])-1)...)
	}
	return t
}

func (w beyond) Play(a bandit.Arm) (bandit.Reward, error) {
	r, err := w.World.Play(a)
	if w.features == 0 {
		r *= bandit.Reward(w.times)
	}
	return r, err
}

// TestWhatIsClippedIsInTheLogAlone: rewards and features out of bounds cause one warning a
// minute, with their number so far. Messages, status and ledger are the same as if the world
// itself stayed in bounds.
func TestWhatIsClippedIsInTheLogAlone(t *testing.T) {
	for _, name := range append([]string{stated}, byFeatures()[0]) {
		var seen [2]string
		for i, times := range []float64{1, 3} {
			x := usual(name, AtWindow).repeatable(5)
			x.worlds = func() bandit.World {
				return beyond{newCoins([]float64{.2, .5, .7}, x.features, node.NewSeed(5).Of("world")), x.features, times}
			}
			r := newRig(t, x)
			r.open()
			r.rounds(150)
			seen[i] = fmt.Sprintf("%+v\n%s\n%+v", r.status(), r.lines(), r.net.frames)
			warned := slices.Collect(func(yield func(string) bool) {
				for line := range strings.Lines(r.logs.String()) {
					if strings.Contains(line, "out of bounds") && !yield(line) {
						return
					}
				}
			})
			if times == 1 && len(warned) > 0 || times > 1 && (len(warned) != 3 || !strings.Contains(warned[2], "level=WARN") || strings.Contains(warned[2], "records=0")) {
				t.Errorf("%s, %v times: warnings %q, want one in each of three minutes for what is out of bounds", name, times, warned)
			}
			if r.s.agent.Clipped() > 0 != (times > 1) {
				t.Errorf("%s, %v times: %d records are clipped", name, times, r.s.agent.Clipped())
			}
			r.stop()
		}
		if seen[0] != seen[1] {
			t.Errorf("%s: it is seen that something was clipped:\n%s\n%s", name, seen[0], seen[1])
		}
	}
}
