package world

import (
	"math"
	"strings"
	"testing"

	"peerd.dev/bandit"
)

// average plays an arm n times.
func average(t *testing.T, w bandit.World, a bandit.Arm, n int) float64 {
	t.Helper()
	sum := 0.
	for range n {
		y, err := w.Play(a)
		if err != nil {
			t.Fatal(err)
		}
		sum += float64(y)
	}
	return sum / float64(n)
}

// The mean of 40,000 rewards is within 5 standard deviations of what Means says;
// a sound world fails with probability 6e-7 an arm.
func TestMeansAreWhatIsPaid(t *testing.T) {
	const n = 40000
	bernoulli := NewBernoulli([]float64{0, .1, .5, 1}, seeded(1))
	open := NewGaussian([]float64{0, .3, -2, 5}, 1, false, seeded(2))
	clip := NewGaussian([]float64{0, .3, 1, -2, 5}, 1, true, seeded(3))
	narrow := NewGaussian([]float64{.2, .9}, .1, true, seeded(4))
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
	w := NewGaussian([]float64{0, .5, 1}, 1, true, seeded(1))
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
			w, err := small(t, p, 1).World(0, seeded(1))
			if err != nil {
				t.Fatal(err)
			}
			inside := true
			for range 1000 {
				y, err := w.Play(0)
				if err != nil {
					t.Fatal(err)
				}
				inside = inside && y >= 0 && y <= 1
			}
			if inside == TraitsOf(p).Unclipped {
				t.Errorf("%s %+v: all inside: %v, Unclipped: %v", e.Words().Name, p, inside, TraitsOf(p).Unclipped)
			}
		}
	}
}

func TestBadWorlds(t *testing.T) {
	open := func(p Params) error {
		_, err := Open(p, Config{Arms: 2, Sites: 1})
		return err
	}
	gaussian := func(mean, sd float64) error {
		return open(GaussianParams{Means: [][]float64{{0, mean}}, Draw: Given, SD: sd})
	}
	bernoulli := func(means ...float64) error {
		return open(BernoulliParams{Means: [][]float64{means}, Draw: Given})
	}
	play := func(a bandit.Arm) error {
		b := NewBernoulli([]float64{.5, .5}, seeded(1))
		g := NewGaussian([]float64{.5, .5}, 1, true, seeded(1))
		_, err := b.Play(a)
		if _, also := g.Play(a); err == nil || also == nil || also.Error() != err.Error() {
			t.Errorf("arm %d: bernoulli says %v, gaussian %v", a, err, also)
		}
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{open(BernoulliParams{}), "world.bernoulli.draw"},
		{bernoulli(), "world.bernoulli.means"},
		{bernoulli(.2, 1.5), "world.bernoulli.means"},
		{bernoulli(.2, math.NaN()), "world.bernoulli.means"},
		{gaussian(math.Inf(1), 1), "world.gaussian.means"},
		{gaussian(0, 0), "world.gaussian.sd"},
		{gaussian(0, math.NaN()), "world.gaussian.sd"},
		{gaussian(0, math.Inf(1)), "world.gaussian.sd"},
		{play(2), "world: arm 2, want 0 to 1"},
		{play(-1), "world: arm -1, want 0 to 1"},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}
