package learner

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// TestPrintedIndicesOfKLUCB: without noise the index is the one that SMPyBandits prints for klucbBern in the examples of
// SMPyBandits/Policies/kullback.py, lines 415 to 437.
func TestPrintedIndicesOfKLUCB(t *testing.T) {
	for _, c := range []struct{ mean, level, index float64 }{
		{.1, .2, .378391},
		{.5, .2, .787088},
		{.9, .2, .994489},
		{.1, .4, .519475},
		{.1, .9, .734714},
		{.5, .4, .871035},
		{.5, .9, .956809},
		{.9, .4, .999285},
		{.9, .9, .999995},
	} {
		for _, n := range []float64{1, 50} { // the level is divided by the number of rewards
			b := belief.New(1, 1)
			b.X[0], b.SampleVar[0] = c.mean, 1/n
			var e bandit.Evidence
			e.Renew(&b, 0)
			if got := e.Greatest(n * c.level); math.Abs(got-c.index) > 2e-6 {
				t.Errorf("mean %v, level %v: %.6f, and %.6f is printed", c.mean, c.level, got, c.index)
			}
		}
	}
}

// TestTheRadiusBesideUCB1: without noise the radius of ucb is √((2 ln t + ln 2)/2n), and UCB1 has √(2 ln t/n).
func TestTheRadiusBesideUCB1(t *testing.T) {
	l, err := UCBParams{}.New(bandit.Config{Arms: 1, Peers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := belief.New(1, 1)
	b.X[0], b.SampleVar[0] = .5, 1./150
	const round = 512 // the end of a block
	r := l.(*UCB).Radii(nil, &b, round-2)[0].Size
	if want := math.Sqrt((2*math.Log(round) + math.Ln2) / 300); math.Abs(r-want) > 1e-12 {
		t.Errorf("%v, want %v", r, want)
	}
	if share := r / math.Sqrt(2*math.Log(round)/150); share < .7 || share > .75 {
		t.Errorf("%v of UCB1's", share)
	}
}
