package linear

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/gram"
)

// centred is a problem whose rewards are ½ + ⟨x, θ⟩ on average, for features x that include the
// constant, and a learner with sums of such records.
type centred struct {
	problem
	l *LinUCB
}

// newCentred returns a problem for actions with d numbers and means that are an offset from ½ on
// average, all in [0,1].
func newCentred(t testing.TB, d, arms int, seed uint64, index Index, offset float64) *centred {
	t.Helper()
	x := &centred{*newProblem(d, seed), linUCB(t, arms, LinUCBParams{Features: d, Index: index, Radius: 1, Records: CentredRewards, Map: bandit.Concat})}
	w := x.l.Statistic().Width()
	x.b, x.exact = belief.New(1, w), make([]float64, w)
	theta := appendScaled(nil, (.5-math.Abs(offset))/ownFactor, x.theta)
	x.d, x.theta = d+1, append(theta, offset/constant)
	return x
}

// numbers returns the numbers of an action, of norm 1.
func (x *centred) numbers() bandit.Features {
	z := x.unit()[:x.d-1]
	return appendScaled(nil, 1/math.Sqrt(product(z, z)), z)
}

// actions returns a turn.
func (x *centred) actions(arms int) (t bandit.Turn) {
	for range arms {
		t.Features = append(t.Features, x.numbers())
	}
	return t
}

func (x *centred) mean(z bandit.Features) float64 { return .5 + product(appendAffine(nil, z), x.theta) }

// pay adds the record that the learner makes of an action with numbers z, as package dp adds it
// up.
func (x *centred) pay(z bandit.Features) {
	y := 0.
	if x.rng.Float64() < x.mean(z) {
		y = 1
	}
	record := x.l.Update(bandit.Pull{Features: z, Reward: bandit.Reward(y)}, nil)
	f, last := record[:x.d], record[x.d]
	at := 0
	for i := range f {
		for j := i; j < len(f); j++ {
			x.exact[at] += map[bool]float64{true: 1, false: math.Sqrt2}[i == j] * f[i] * f[j]
			at++
		}
	}
	for i := range f {
		x.exact[at+i] += f[i] * last
	}
	x.n++
}

// TestCentredRewardsAreLearned by every index, at means around ½ and away from it: with many
// records the chosen arm is nearly the best.
func TestCentredRewardsAreLearned(t *testing.T) {
	for _, index := range indices {
		for _, offset := range []float64{0, -.3} {
			x := newCentred(t, 4, 8, 1, index, offset)
			for range 30_000 {
				x.pay(x.numbers())
			}
			x.release(10)
			lost, random := 0., 0.
			for range 300 {
				turn := x.actions(8)
				turn.Excluded = []bandit.Arm{3}
				means := make([]float64, 8)
				for k, z := range turn.Features {
					means[k] = x.mean(z)
				}
				means[3] = 0
				c := x.l.Choose(&x.b, turn)
				lost += slices.Max(means) - means[c.Arm]
				random += slices.Max(means) - means[0]
			}
			if lost > random/15 {
				t.Errorf("%s, offset %v: %.2f lost, at random %.2f", index, offset, lost, random)
			}
		}
	}
}

// TestSetsOfCentredRewardsHold: the stated and the calibrated set, after every release of 100
// runs. Sets that assume a thousandth of the noise fail in most.
func TestSetsOfCentredRewardsHold(t *testing.T) {
	for _, sigma := range []float64{0, 3, 30} {
		wrong := 0
		for run := range uint64(100) {
			x, outside := newCentred(t, 3, 1, 700+run, CalibratedIndex, .2), 0
			for range 9 {
				for range 1 + int(x.n) {
					x.pay(x.numbers())
				}
				x.release(sigma)
				x.l.learn(&x.b)
				if off := x.off(x.l.estimate); !x.l.known || off > x.l.beta {
					t.Errorf("noise of %v, run %d: θ is %.3g off, the radius is %.3g", sigma, run, off, x.l.beta)
				}
				for _, part := range []float64{1, 1e-6} {
					g, err := gram.Of(x.b.X, part*sigma*sigma, gram.Centred, x.d)
					if err != nil {
						t.Fatal(err)
					}
					if e, size, _ := stated(g, x.n); x.off(e) <= size {
						continue
					}
					if outside = 1; part == 1 {
						t.Errorf("noise of %v, run %d: θ is outside of what is stated", sigma, run)
					}
				}
			}
			wrong += outside
		}
		if sigma > 0 && wrong < 50 {
			t.Errorf("noise of %v: only %d of 100 sets with too little noise fail", sigma, wrong)
		}
	}
}

// TestMeansWithinBoundsHaveAShortParameter: for any c and φ with c + ⟨z, φ⟩ in [0,1] for all z of
// norm at most 1, θ has norm at most 1, and some reach it; with a smaller constant some would
// exceed it.
func TestMeansWithinBoundsHaveAShortParameter(t *testing.T) {
	norm := func(c, phi float64) float64 {
		return math.Hypot(phi/ownFactor, (c-.5)/constant)
	}
	if n := norm(0, 0); n != 1 {
		t.Errorf("a mean of 0 has a parameter of norm %v", n)
	}
	rapid.Check(t, func(r *rapid.T) {
		c := rapid.Float64Range(0, 1).Draw(r, "c")
		phi := rapid.Float64Range(0, min(c, 1-c)).Draw(r, "phi")
		if n := norm(c, phi); n > 1 {
			r.Fatalf("norm %v", n)
		}
	})
}

// TestFeaturesWithTheConstantAreOfOneChoice: they need no allocation, nothing of them remains,
// and the turn's features do not change.
func TestFeaturesWithTheConstantAreOfOneChoice(t *testing.T) {
	for _, index := range indices {
		x := newCentred(t, 4, 6, 3, index, 0)
		for range 50 {
			x.pay(x.numbers())
		}
		x.release(1)
		turn := x.actions(6)
		before := slices.Clone(turn.Features[2])
		x.l.Choose(&x.b, turn)
		if n := testing.AllocsPerRun(100, func() { x.l.Choose(&x.b, turn) }); n > 0 {
			t.Errorf("%s: a choice allocates %v times", index, n)
		}
		for _, f := range x.l.affine.features {
			if slices.ContainsFunc(f, func(v float64) bool { return v != 0 }) {
				t.Errorf("%s: %v stays", index, f)
			}
		}
		if !slices.Equal(before, turn.Features[2]) {
			t.Errorf("%s: features of the turn are changed", index)
		}
	}
}

func TestCentredRewardsThatDoNotSuitAreRefused(t *testing.T) {
	for _, x := range []struct {
		p     LinUCBParams
		field string
	}{
		{LinUCBParams{Features: 119, Index: BoundIndex, Radius: 1, Records: CentredRewards, Map: bandit.Concat}, ""},
		{LinUCBParams{Features: 120, Index: BoundIndex, Radius: 1, Records: CentredRewards, Map: bandit.Concat}, "features"},
		{LinUCBParams{Features: 12, Context: 10, Map: bandit.Outer, Index: BoundIndex, Radius: 1, Records: CentredRewards}, "context"},
	} {
		field, _ := x.p.Check(2)
		_, err := x.p.New(bandit.Config{Arms: 2, Peers: 1})
		if field != x.field || (err != nil) != (field != "") {
			t.Errorf("%+v: field %q, %v", x.p, field, err)
		}
	}
}
