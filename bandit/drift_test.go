package bandit

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit/belief"
)

// drifted plays two arms in batches that grow. The mean of arm 0 is p, and q once it has half of the rewards. It reports
// whether a change of each arm is reported at any time.
func drifted(rng *rand.Rand, p, q, rewards float64) (changed [2]bool) {
	var d Drift
	b := belief.New(2, 1)
	for k := range 2 {
		var n, sum, draws float64
		for n < rewards {
			mean := p
			if k == 0 && n >= rewards/2 {
				mean = q
			}
			batch := max(4, math.Ceil(n/8))
			for range int(batch) {
				if rng.Float64() < mean {
					sum++
				}
			}
			n += batch
			sum += rng.ExpFloat64() - rng.ExpFloat64()
			draws++
			b.Sites[k] = []belief.Site{{Mean: sum / n, N: n, Released: n, LaplaceMax: 1 / n, LaplaceSumSq: draws / n / n}}
			for _, arm := range d.Watch(&b, 0, .05) {
				changed[arm] = true
			}
		}
	}
	return changed
}

// TestDriftIsReported: a mean that changes is reported in nearly all runs, one that stays in no more than stated, and
// the arm that changed is the one that is named.
func TestDriftIsReported(t *testing.T) {
	const runs = 400
	rng := rand.New(rand.NewPCG(7, 31))
	found, wrong := 0, 0
	for range runs {
		switch changed := drifted(rng, .5, .8, 1000); {
		case changed[1]:
			wrong++
		case changed[0]:
			found++
		}
	}
	if t.Logf("found in %d runs of %d, and another arm in %d", found, runs, wrong); found < runs*9/10 || wrong > runs/20 {
		t.Errorf("found in %d runs of %d, and another arm in %d", found, runs, wrong)
	}
	wrong = 0
	for range runs {
		if drifted(rng, .5, .5, 1000) != [2]bool{} {
			wrong++
		}
	}
	if t.Logf("reported in %d runs of %d without any", wrong, runs); wrong > runs/20 {
		t.Errorf("reported in %d runs of %d without any", wrong, runs)
	}
}

// TestDriftGoesOnAfterARestart: what was released before counts as one part.
func TestDriftGoesOnAfterARestart(t *testing.T) {
	var d Drift
	b := belief.New(1, 1)
	for n := 500.; n < 4000; n += 100 {
		sum := 250 + .9*(n-500)
		b.Sites[0] = []belief.Site{{Mean: sum / n, N: n, Released: n, LaplaceMax: 1 / n, LaplaceSumSq: 10 / n / n}}
		if len(d.Watch(&b, 0, .05)) > 0 {
			if n == 500 {
				t.Error("one part is enough")
			}
			return
		}
	}
	t.Error("no drift from .5 to .9 in 3,500 rewards")
}
