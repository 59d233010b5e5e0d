package kept

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draws adds rewards that are 1 with a probability until a change is found, and returns how many it took; -1 if none is found in n.
func draws(r *record, mean float64, n int, rng *rand.Rand) int {
	for t := range n {
		x := 0.
		if rng.Float64() < mean {
			x = 1
		}
		if r.add(x) {
			return t + 1
		}
	}
	return -1
}

// TestAChangeIsFound: a drop from .6 to .2 is found soon, and what is not forgotten is from after it for a few blocks. A rise is
// found as well, and so is a second change.
func TestAChangeIsFound(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var r record
		for i, mean := range []float64{.2, .9, .3} {
			if before := []float64{.6, .2, .9}[i]; draws(&r, before, 3000, rng) >= 0 {
				t.Fatalf("seed %d: a change to %v was found twice or before it was there", seed, before)
			}
			took := draws(&r, mean, 300, rng)
			if took < 0 || r.n > uint64(took+4*block) || math.Abs(r.mean()-mean) > .35 {
				t.Errorf("seed %d: change to %v found after %d rewards; left are %d of mean %.2f", seed, mean, took, r.n, r.mean())
			}
		}
	}
}

// TestNoChangeIsFoundWhereThereIsNone covers rewards that are almost always the same, always the same, and between 0 and 1.
func TestNoChangeIsFoundWhereThereIsNone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, reward := range []func() float64{
		func() float64 { return 0 },
		func() float64 { return 1 },
		func() float64 { return .3 },
		rng.Float64,
		func() float64 { return math.Floor(rng.Float64() + .5) },
		func() float64 { return math.Floor(rng.Float64() + .2) },
		func() float64 { return math.Floor(rng.Float64() + .01) },
	} {
		for run := range 40 {
			var r record
			for i := range 4000 {
				if r.add(reward()) {
					t.Errorf("run %d: a change after %d rewards", run, i+1)
				}
			}
			if len(r.marks) > 60 {
				t.Fatalf("%d marks of 4,000 rewards", len(r.marks))
			}
		}
	}
}

// TestTheLevelHolds: one mark has the whole level, and all counts after it are looked at.
func TestTheLevelHolds(t *testing.T) {
	const runs = 2000
	level := -math.Log(miss)
	rng := rand.New(rand.NewPCG(3, 4))
	wrong := 0.
	for range runs {
		var before, after total
		for i := range 400 {
			to := &before
			if i >= 64 {
				to = &after
			}
			to.n++
			to.sum += unit * uint64(rng.IntN(2))
			if i > 64 && apart(before, after) > level {
				wrong++
				break
			}
		}
	}
	if wrong /= runs; wrong > math.Exp(-level) || wrong == 0 {
		t.Errorf("a change in %.3f of all runs, want some and at most %.3f", wrong, math.Exp(-level))
	}
}

// TestSumsDoNotDependOnTheOrder: they are of integers.
func TestSumsDoNotDependOnTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rewards := make([]float64, 1000)
	for i := range rewards {
		rewards[i] = rng.Float64()
	}
	var r, s record
	for i := range rewards {
		r.add(rewards[i])
	}
	rng.Shuffle(len(rewards), func(i, j int) { rewards[i], rewards[j] = rewards[j], rewards[i] })
	for i := range rewards {
		s.add(rewards[i])
	}
	if r.total != s.total || r.n != 1000 {
		t.Errorf("%v in one order, %v in another one", r.total, s.total)
	}
}
