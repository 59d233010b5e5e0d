package bandit

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit/belief"
)

// watched plays an arm in batches that grow, and reports whether its mean was above the bound after some release.
func watched(rng *rand.Rand, mean float64, rewards, level float64) bool {
	var n, sum, draws float64
	for n < rewards {
		batch := max(4, math.Ceil(n/8))
		for range int(batch) {
			if rng.Float64() < mean {
				sum++
			}
		}
		n += batch
		sum += rng.ExpFloat64() - rng.ExpFloat64()
		draws++
		if mean > above(sum/n, &belief.Site{Released: n, LaplaceMax: 1 / n, LaplaceSumSq: draws / n / n}, level) {
			return true
		}
	}
	return false
}

// TestTheBoundHoldsAtAllTimes: looked at after every release, a mean is above its bound in no more runs than stated, of few
// rewards and of many, near 0, in the middle and near 1. With a quarter of the level it is above in more: errors four times
// as likely to the logarithm would be found.
func TestTheBoundHoldsAtAllTimes(t *testing.T) {
	const runs, miss = 2000, .05
	rng := rand.New(rand.NewPCG(11, 24))
	found := false
	for _, mean := range []float64{.05, .5, .95} {
		wrong, narrow := 0, 0
		for range runs {
			if watched(rng, mean, 3000, math.Log(1/miss)) {
				wrong++
			}
			if watched(rng, mean, 3000, -math.Log(tilts)*3/4+math.Log(1/miss)/4) {
				narrow++
			}
		}
		t.Logf("mean %v: above its bound in %d runs of %d, and in %d with a quarter of the level", mean, wrong, runs, narrow)
		if wrong > runs*miss {
			t.Errorf("mean %v: above its bound in %d runs of %d", mean, wrong, runs)
		}
		found = found || narrow > runs*miss
	}
	if !found {
		t.Error("a quarter of the level is not found to be too little: this shows little")
	}
}

// TestTheBestIsNamedOnceItIsKnown: with enough own rewards of every arm, and not before; absent arms do not count, and
// what others say does not.
func TestTheBestIsNamedOnceItIsKnown(t *testing.T) {
	b := belief.New(3, 1)
	lies(&b)
	say(&b, 0, 0, .7, 1000, 5)
	if a := Best(&b, 0, nil, .05); a != NoArm {
		t.Errorf("arm %d is best when nothing is known of the others", a)
	}
	say(&b, 1, 0, .4, 20, 2)
	if a := Best(&b, 0, []Arm{2}, .05); a != NoArm {
		t.Errorf("arm %d is best after 20 rewards", a)
	}
	say(&b, 1, 0, .4, 300, 4)
	if a := Best(&b, 0, nil, .05); a != NoArm {
		t.Errorf("arm %d is best when nothing is known of arm 2", a)
	}
	if a := Best(&b, 0, []Arm{2}, .05); a != 0 {
		t.Errorf("arm %d is best, want 0", a)
	}
	if a := Best(&b, 0, []Arm{0, 2}, .05); a != 1 {
		t.Errorf("arm %d is best of one", a)
	}
	say(&b, 0, 0, .7, 30, 3)
	if a := Best(&b, 0, []Arm{2}, .05); a != NoArm {
		t.Errorf("arm %d is best after 30 rewards", a)
	}
	b.Sites[0][0].LaplaceMax, b.Sites[0][0].LaplaceSumSq = 1, 1
	if a := Best(&b, 0, []Arm{2}, .05); a != NoArm {
		t.Errorf("arm %d is best with noise of the size of means", a)
	}
}

// TestEqualArmsAreRarelyTold: of equal arms, one is named in no more runs than stated.
func TestEqualArmsAreRarelyTold(t *testing.T) {
	const runs, miss = 400, .05
	rng := rand.New(rand.NewPCG(3, 8))
	wrong := 0
	for range runs {
		b := belief.New(2, 1)
		arms := [2]struct{ n, sum, draws float64 }{}
		for range 40 {
			k := rng.IntN(2)
			a := &arms[k]
			batch := max(4, math.Ceil(a.n/4))
			for range int(batch) {
				if rng.Float64() < .5 {
					a.sum++
				}
			}
			a.n += batch
			a.sum += rng.ExpFloat64() - rng.ExpFloat64()
			a.draws++
			b.Sites[k] = []belief.Site{{Mean: a.sum / a.n, N: a.n, Released: a.n, LaplaceMax: 1 / a.n, LaplaceSumSq: a.draws / a.n / a.n}}
			if Best(&b, 0, nil, miss) != NoArm {
				wrong++
				break
			}
		}
	}
	if t.Logf("%d of %d", wrong, runs); wrong > runs*miss {
		t.Errorf("an arm is named in %d runs of %d", wrong, runs)
	}
}
