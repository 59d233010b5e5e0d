package world

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
)

// average plays an arm n times.
func average(t *testing.T, w bandit.World, a bandit.Arm, n int) float64 {
	t.Helper()
	sum := 0.
	for range n {
		y := require.Value(w.Play(a))(t)
		sum += float64(y)
	}
	return sum / float64(n)
}

// The mean of 40,000 rewards is within 5 standard deviations of what Means says;
// a sound world fails with probability 6e-7 an arm.
func TestMeansAreWhatIsPaid(t *testing.T) {
	const n = 40000
	bernoulli := require.Value(NewBernoulli([]float64{0, .1, .5, 1}, seeded(1)))(t)
	open := require.Value(NewGaussian([]float64{0, .3, -2, 5}, 1, false, seeded(2)))(t)
	clip := require.Value(NewGaussian([]float64{0, .3, 1, -2, 5}, 1, true, seeded(3)))(t)
	narrow := require.Value(NewGaussian([]float64{.2, .9}, .1, true, seeded(4)))(t)
	for _, c := range []struct {
		name string
		w    payer
		sd   float64 // at most
	}{{"bernoulli", bernoulli, .5}, {"gaussian", open, 1}, {"clipped", clip, .5}, {"narrow", narrow, .1}} {
		means := c.w.Means()
		if _, err := c.w.Play(bandit.Arm(len(means))); err == nil {
			t.Errorf("%s: %d means of more arms", c.name, len(means))
		}
		for a, want := range means {
			if got := average(t, c.w, bandit.Arm(a), n); math.Abs(got-want) > 5*c.sd/math.Sqrt(n) {
				t.Errorf("%s: arm %d pays %v, Means says %v", c.name, a, got, want)
			}
		}
	}
}

func TestClippingShrinksGapsByTwoThirds(t *testing.T) {
	w := require.Value(NewGaussian([]float64{0, .5, 1}, 1, true, seeded(1)))(t)
	m := w.Means()
	if m[1] != .5 || math.Abs(m[0]+m[2]-1) > 1e-15 {
		t.Errorf("not symmetric about a half: %v", m)
	}
	if g := m[2] - m[0]; g < .33 || g > .38 {
		t.Errorf("gap %v of 1", g)
	}
}

// A gaussian world of means .5 and standard deviation 1 pays one reward in three outside
// [0,1] if it is not clipped.
func TestUnclippedIsTrue(t *testing.T) {
	for _, e := range Table() {
		params := []Params{Small(e)}
		if g, ok := Small(e).(GaussianParams); ok {
			g.Means, g.SD = [][]float64{{.5, .5, .5}}, 1
			for _, g.Clip = range []bool{false, true} {
				params = append(params, g)
			}
		}
		for _, p := range params {
			w := require.Value(small(t, p, 1).World(0, seeded(1)))(t)
			inside := true
			for range 1000 {
				y := require.Value(w.Play(0))(t)
				inside = inside && y >= 0 && y <= 1
			}
			if inside == TraitsOf(p).Unclipped {
				t.Errorf("%s %+v: all inside: %v, Unclipped: %v", e.Words().Name, p, inside, TraitsOf(p).Unclipped)
			}
		}
	}
}

func TestBadWorlds(t *testing.T) {
	gaussian := func(means []float64, sd float64) error {
		_, err := NewGaussian(means, sd, true, seeded(1))
		return err
	}
	bernoulli := func(means ...float64) error {
		_, err := NewBernoulli(means, seeded(1))
		return err
	}
	play := func(a bandit.Arm) error {
		b := require.Value(NewBernoulli([]float64{.5, .5}, seeded(1)))(t)
		g, err := NewGaussian([]float64{.5, .5}, 1, true, seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Play(a)
		if _, also := g.Play(a); err == nil || also == nil || also.Error() != err.Error() {
			t.Errorf("arm %d: bernoulli says %v, gaussian %v", a, err, also)
		}
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{bernoulli(), "world: bernoulli: no arms"},
		{bernoulli(.2, 1.5), "world: bernoulli: arm 1 has mean 1.5, want 0 to 1"},
		{bernoulli(math.NaN()), "world: bernoulli: arm 0 has mean NaN, want 0 to 1"},
		{gaussian(nil, 1), "world: gaussian: no arms"},
		{gaussian([]float64{0, math.Inf(1)}, 1), "world: gaussian: arm 1 has mean +Inf, want a finite number"},
		{gaussian([]float64{0}, 0), "world: gaussian: standard deviation 0, want a positive number"},
		{gaussian([]float64{0}, math.NaN()), "world: gaussian: standard deviation NaN, want a positive number"},
		{gaussian([]float64{0}, math.Inf(1)), "world: gaussian: standard deviation +Inf, want a positive number"},
		{play(2), "world: arm 2, want 0 to 1"},
		{play(-1), "world: arm -1, want 0 to 1"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}
