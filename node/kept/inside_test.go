package kept

import (
	"fmt"
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

// TestAnswersArePrivateWithNoise: theorem 3 of docs/proofs/kept.md. Odds of the noised reward are at most e^ε for any two rewards, and reach it for 0
// and 1; it is drawn once for a decision, also by a half that is restored; and what the half estimates is unbiased.
func TestAnswersArePrivateWithNoise(t *testing.T) {
	for _, epsilon := range []float64{.5, 2, 8} {
		s := spec(node.GiveFew)
		s.Inside = epsilon
		h := half(t, s, 1)
		p := func(y float64) float64 { return h.flip + y*(1-2*h.flip) } // of a 1
		for _, y := range []float64{0, .25, .5, 1} {
			ones, n := 0., 20_000.
			for i := range int(n) {
				ones += float64(h.noised(bandit.Reward(y), fmt.Sprint(y, "/", i)))
			}
			if z := (ones/n - p(y)) / math.Sqrt(p(y)*(1-p(y))/n); math.Abs(z) > 4.5 {
				t.Errorf("ε %v: %v becomes 1 in %v of all decisions, want %v", epsilon, y, ones/n, p(y))
			}
			for _, other := range []float64{0, .5, 1} {
				if odds := math.Log(max(p(y)/p(other), (1-p(y))/(1-p(other)))); odds > epsilon*(1+1e-12) {
					t.Errorf("ε %v: odds of e^%v between %v and %v", epsilon, odds, y, other)
				}
			}
		}
		if odds := math.Log(p(1) / p(0)); math.Abs(odds-epsilon) > 1e-9 {
			t.Errorf("ε %v: odds of e^%v between 0 and 1: the noise is another", epsilon, odds)
		}
		for i := range 4000 {
			if _, err := h.Add(fmt.Sprint(i), bandit.Pull{Reward: bandit.Reward(i%4) / 4}); err != nil {
				t.Fatal(err)
			}
		}
		restored := half(t, s, 1)
		if err := restored.Load(h.Save()); err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			if id := fmt.Sprint(i); h.noised(.5, id) != restored.noised(.5, id) || h.noised(.5, id) != h.noised(.5, id) {
				t.Errorf("noise of %s is drawn twice", id)
			}
		}
		var in [2]node.Inside
		h.Inside(&in[0])
		restored.Inside(&in[1])
		if got := in[0].Means[0]; got != in[1].Means[0] || math.Abs(got-.375) > 4.5*.5/math.Sqrt(4000)/(1-2*h.flip) {
			t.Errorf("ε %v: a mean of %v, restored %v, want .375", epsilon, got, in[1].Means[0])
		}
	}
}
