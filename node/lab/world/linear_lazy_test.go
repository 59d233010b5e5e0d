package world

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// extents returns the worlds of one site and one θ that draw all actions, and those that can be chosen.
func extents(t testing.TB, p LinearParams, arms int) (full, lazy bandit.World) {
	t.Helper()
	var all []bandit.World
	for i, extent := range []Extent{FullActions, LazyActions} {
		p.Law, p.Draw, p.Actions = Band, FreshActions, extent
		c := network(p, 1)
		c.Arms = arms
		source, err := Open(p, c)
		if err != nil {
			t.Fatal(err)
		}
		s, err := source.Sites(rand.New(seeded(1)))
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.World(0, seeded(uint64(10+i)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	return all[0], all[1]
}

// knowing returns what a site believes that has n records of actions of a world, as a learner makes them, of which it
// weighs each with a weight, under noise of a deviation.
func knowing(t *testing.T, w bandit.World, p bandit.LinUCBParams, n int, weight, sigma float64) *bandit.Belief {
	t.Helper()
	l, err := bandit.New(p, bandit.Config{Arms: 2, Peers: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := l.Statistic().Dim
	b, rng := belief.New(1, d*(d+3)/2), rand.New(seeded(uint64(n)))
	for round := range uint64(n) {
		turn := w.Turn(round)
		a := bandit.Arm(rng.IntN(2)) // of two, so that directions differ
		y, err := w.Play(a)
		if err != nil {
			t.Fatal(err)
		}
		record := l.Update(bandit.Pull{Arm: a, Features: turn.Of(a), Reward: y}, nil)
		at, x := 0, record[:d]
		for i := range x {
			for j := i; j < d; j++ {
				b.X[at] += weight * x[i] * x[j] * map[bool]float64{true: 1, false: math.Sqrt2}[i == j]
				at++
			}
		}
		for i, v := range x {
			b.X[at+i] += weight * v * record[d]
		}
	}
	for i := range b.X {
		b.X[i] += sigma * rng.NormFloat64()
	}
	if n > 0 {
		b.SampleVar[0], b.GaussVar[0] = 1/max(1, weight*float64(n)), sigma*sigma
	}
	return &b
}

// moments are sums of numbers and of their squares.
type moments struct{ sum, squares []float64 }

func (m *moments) add(x ...float64) {
	for len(m.sum) < len(x) {
		m.sum, m.squares = append(m.sum, 0), append(m.squares, 0)
	}
	for i, v := range x {
		m.sum[i] += v
		m.squares[i] += v * v
	}
}

// apart returns by how many deviations the means over n differ most, and of which number.
func (m *moments) apart(o *moments, n float64) (most float64, which int) {
	for i := range m.sum {
		a, b := m.sum[i]/n, o.sum[i]/n
		variance := (m.squares[i]/n - a*a + o.squares[i]/n - b*b) / n
		if z := math.Abs(a-b) / math.Sqrt(variance+1e-24); z > most {
			most, which = z, i
		}
	}
	return most, which
}

// choices plays rounds with a fixed belief and returns the moments of what is chosen: regret and how
// it is spread, features and their products, and arms.
func choices(t *testing.T, w bandit.World, b *bandit.Belief, p bandit.LinUCBParams, arms, rounds int, excluded []bandit.Arm, explore float64) (m moments) {
	t.Helper()
	rng := rand.New(seeded(uint64(rounds)))
	l, err := bandit.New(p, bandit.Config{Arms: arms, Peers: 1, Rand: rng})
	if err != nil {
		t.Fatal(err)
	}
	var x []float64
	for round := range uint64(rounds) {
		turn := w.Turn(round)
		turn.Excluded = excluded
		c := l.Choose(b, turn)
		if explore > 0 {
			c = bandit.Explore(c, turn, arms, explore, rng)
		}
		y, err := w.Play(c.Arm)
		if err != nil || slices.Contains(excluded, c.Arm) {
			t.Fatalf("arm %d of %d, without %v: %v", c.Arm, arms, excluded, err)
		}
		lost := w.Regret(c.Arm)
		x = append(x[:0], lost, lost*lost, float64(y))
		for _, bin := range []float64{1e-9, .05, .1, .15, .2} {
			x = append(x, map[bool]float64{true: 1}[lost < bin])
		}
		for a := range arms {
			x = append(x, map[bool]float64{true: 1}[c.Arm == bandit.Arm(a)])
		}
		f := turn.Of(c.Arm)
		for i, v := range f {
			x = append(x, v)
			for _, u := range f[:i+1] {
				x = append(x, v*u)
			}
		}
		m.add(x...)
	}
	return m
}

// TestLazyActionsHaveTheLawOfAll: regret, rewards, features and arm of the choice, with every
// index, if all indices are equal except for rounding, if almost nothing is known, much and
// everything, with arms excluded and with exploration, and with centred rewards. Each of some
// 3,000 means over 3,000 rounds differs by less than 5.5 deviations, with a false alarm in 8,000
// sets of seeds.
func TestLazyActionsHaveTheLawOfAll(t *testing.T) {
	const arms, rounds = 8, 3000
	learners := []bandit.LinUCBParams{
		{Index: bandit.SampledIndex, Records: bandit.WithoutSquares},
		{Index: bandit.BoundIndex, Records: bandit.WithoutSquares},
		{Index: bandit.CalibratedIndex, Records: bandit.WithoutSquares},
		{Index: bandit.SampledIndex, Records: bandit.CentredRewards},
		{Index: bandit.BoundIndex, Records: bandit.CentredRewards},
	}
	for _, d := range []int{2, 3, 7} {
		full, lazy := extents(t, LinearParams{Features: d}, arms)
		for _, state := range []struct {
			name          string
			n             int
			weight, sigma float64
			excluded      []bandit.Arm
			explore       float64
		}{
			{name: "no release"},
			{name: "nothing", n: 1},
			{name: "little", n: 50, weight: 1, sigma: 2},
			{name: "some", n: 500, weight: 4, sigma: 4},
			{name: "some, without three", n: 500, weight: 4, sigma: 4, excluded: []bandit.Arm{0, 3, 5}},
			{name: "some, exploring", n: 500, weight: 4, sigma: 4, explore: .6},
			{name: "much", n: 500, weight: 1000, sigma: 10},
		} {
			for _, p := range learners {
				if p.Records == bandit.CentredRewards && d != 3 {
					continue
				}
				p.Features, p.Radius = d, 1
				b := knowing(t, full, p, state.n, state.weight, state.sigma)
				one := choices(t, full, b, p, arms, rounds, state.excluded, state.explore)
				other := choices(t, lazy, b, p, arms, rounds, state.excluded, state.explore)
				z, which := one.apart(&other, rounds)
				name := fmt.Sprintf("%d features, %s, %s, %s", d, state.name, p.Index, p.Records)
				t.Logf("%s: %.2f deviations (%d), regret %.4f", name, z, which, one.sum[0]/rounds)
				if !(z < 5.5) {
					t.Errorf("%s: number %d is %v and %v, %.1f deviations apart", name, which, one.sum[which]/rounds, other.sum[which]/rounds, z)
				}
			}
		}
	}
}

// TestLazyActionsAreWhatTheirLawSays: those that are returned, in every turn, with the best and the
// band, and the same when the round is played again.
func TestLazyActionsAreWhatTheirLawSays(t *testing.T) {
	const arms = 30
	for _, d := range []int{2, 3, 4, 10} {
		_, world := extents(t, LinearParams{Features: d, Gap: .15}, arms)
		w := world.(*lazyLinear)
		aim := make([]float64, d)
		aim[d-1] = .4
		for _, toward := range [][]float64{aim, w.theta, make([]float64, d)} {
			for round := range uint64(50) {
				least := .1 * float64(round%4)
				look := func() (seen []bandit.Arm, xs [][]float64) {
					turn := w.Turn(round)
					turn.Actions.Aim(toward)
					for {
						a, x, ok := turn.Actions.Next(least)
						if !ok {
							return seen, xs
						}
						seen, xs = append(seen, a), append(xs, slices.Clone(x))
					}
				}
				seen, xs := look()
				if round%4 == 0 && toward[0] == w.theta[0] && len(seen) != arms {
					t.Fatalf("%d of %d actions", len(seen), arms)
				}
				best := 0
				for i, x := range xs {
					mean := dot(x, w.theta)
					if n := dot(x, x); math.Abs(n-1) > 1e-12 || dot(x, toward) < least-1e-12 || slices.Contains(seen[:i], seen[i]) {
						t.Fatalf("action %d has norm² %v and the product %v, wanted %v", i, n, dot(x, toward), least)
					}
					if r := w.Regret(seen[i]); math.Abs(w.places[0].mean-mean-r) > 1e-12 || r < 0 || r > 0 && r < .15 {
						t.Fatalf("action %d has regret %v, mean %v", i, r, mean)
					}
					if mean > .75-1e-12 {
						best++
					}
					if mean < .5-1e-12 || mean > .85+1e-12 || mean > .6+1e-12 && mean < .75-1e-12 || best > 1 {
						t.Fatalf("%d means as of the best, one of %v", best, mean)
					}
				}
				w.Turn(round + 7)
				w.Of(bandit.Arm(round % arms))
				if again, ys := look(); !slices.Equal(again, seen) || !slices.EqualFunc(xs, ys, slices.Equal) {
					t.Fatal("a round is another one when it is played again")
				}
			}
		}
		if _, err := w.Play(arms); err == nil {
			t.Error("an action that does not exist pays")
		}
		if s := fmt.Sprintf("%v %+v", w, w); s != "private private" {
			t.Error(s)
		}
	}
}

// TestLazyActionsAreOrderStatistics, looked for along θ: how many of the others pay a least mean is
// binomial, and the best of them pays what the greatest of as many uniform numbers is; the others pay what is left, with a
// false alarm in a million.
func TestLazyActionsAreOrderStatistics(t *testing.T) {
	const arms, rounds = 20, 20_000
	_, world := extents(t, LinearParams{Features: 3}, arms)
	w := world.(*lazyLinear)
	for _, part := range []float64{.1, .4, .8} { // of the others
		var m moments
		for round := range uint64(rounds) {
			turn := w.Turn(round)
			turn.Actions.Aim(w.theta)
			n, best := -1., 0.
			for {
				a, _, ok := turn.Actions.Next(others + width*(1-part))
				if !ok {
					break
				}
				if n++; n > 0 {
					best = max(best, (w.places[w.place(a)].mean-others)/width)
				}
			}
			mean := 0. // of all others, those that were not looked for as well
			for a := range bandit.Arm(arms) {
				if i := w.place(a); i > 0 {
					mean += (w.places[i].mean - others) / width / (arms - 1)
				}
			}
			m.add(n, n*n, best, mean)
		}
		const k = arms - 1
		least := 1 - part
		count := k * part
		greatest := k / (k + 1.) * (1 - math.Pow(least, k+1))
		for i, want := range []float64{count, count*least + count*count, greatest, .5} {
			mean := m.sum[i] / rounds
			if z := math.Abs(mean-want) / math.Sqrt((m.squares[i]/rounds-mean*mean)/rounds); z > 5.5 {
				t.Errorf("part %v: number %d is %v, %.1f deviations from %v", part, i, mean, z, want)
			}
		}
	}
}

// TestChiSquare has the moments that it should, with a false alarm in a million.
func TestChiSquare(t *testing.T) {
	const n = 100_000
	q := &quick{ziggurat: newZiggurat(), state: 5}
	for _, degrees := range []float64{0, 1, 2, 3, 8, 100} {
		c := newChiSquare(int(degrees))
		var m moments
		for range n {
			x := c.draw(q)
			m.add(x, x*x, x*x*x)
		}
		at := func(k float64) float64 { return degrees + 2*k } // E xᵏ⁺¹ = E xᵏ · at(k)
		for i, want := range []float64{at(0), at(0) * at(1), at(0) * at(1) * at(2)} {
			mean := m.sum[i] / n
			if z := math.Abs(mean-want) / math.Sqrt((m.squares[i]/n-mean*mean)/n+1e-24); z > 5.5 {
				t.Errorf("%v degrees: moment %d is %v, %.1f deviations from %v", degrees, i+1, mean, z, want)
			}
		}
	}
}

func TestLazyActionsAreForExperiments(t *testing.T) {
	p := LinearParams{Features: 3, Law: Band, Draw: FreshActions, Actions: LazyActions, Instance: 1}
	source, err := Open(p, network(p, 2))
	if err != nil {
		t.Fatal(err)
	}
	var refused *ParamError
	if _, err = source.Sites(nil); !errors.As(err, &refused) || refused.Key != "world.linear.actions" {
		t.Error(err)
	}
	for _, bad := range []LinearParams{
		{Features: 3, Law: Sphere, Draw: FreshActions, Actions: LazyActions},
		{Features: 3, Law: Band, Draw: OwnActions, Actions: LazyActions},
	} {
		if got, _ := Check(bad, Config{}); got != "actions" {
			t.Errorf("%+v: %q is refused", bad, got)
		}
	}
}
