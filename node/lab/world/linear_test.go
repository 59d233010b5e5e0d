package world

import (
	"errors"
	"math"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
)

// linears returns the sites of world linear.
func linears(t *testing.T, p LinearParams, arms, sites int) (all []*Linear) {
	t.Helper()
	c := network(p, sites)
	c.Arms = arms
	source := require.Value(Open(p, c))(t)
	s := require.Value(source.Sites(nil))(t)
	if s.Means != nil || s.Overall() != nil || s.Gaps() != nil {
		t.Error("actions that change have means of their own")
	}
	for i := range sites {
		w := require.Value(s.World(i, seeded(uint64(i))))(t)
		all = append(all, w.(*Linear))
	}
	return all
}

// everyLinear runs f for every law and drawing.
func everyLinear(t *testing.T, f func(t *testing.T, p LinearParams)) {
	t.Helper()
	for _, law := range []Law{Sphere, Direction, Band} {
		for _, draw := range []Drawing{OwnActions, CommonActions, FreshActions} {
			t.Run(string(law)+" "+string(draw), func(t *testing.T) {
				f(t, LinearParams{Features: 6, Law: law, Draw: draw, Gap: .15, Instance: 3})
			})
		}
	}
}

// TestLinearActionsAreWhatTheirLawSays: norms, means and gaps, in every turn.
func TestLinearActionsAreWhatTheirLawSays(t *testing.T) {
	everyLinear(t, func(t *testing.T, p LinearParams) {
		for _, w := range linears(t, p, 20, 3) {
			if n := dot(w.theta, w.theta); math.Abs(n-1) > 1e-12 {
				t.Errorf("θ has norm² %v", n)
			}
			for round := range uint64(50) {
				turn := w.Turn(round)
				means := make([]float64, 20)
				for a, x := range turn.Features {
					if n := dot(x, x); math.Abs(n-1) > 1e-12 {
						t.Fatalf("action %d has norm² %v", a, n)
					}
					if means[a] = dot(x, w.theta); p.Law == Direction {
						means[a] = (1 + means[a]) / 2
					}
					if r := w.Regret(bandit.Arm(a)); r < 0 || math.Abs(w.best-means[a]-r) > 1e-9 {
						t.Fatalf("action %d has regret %v, mean %v, the best %v", a, r, means[a], w.best)
					}
					if p.Law == Sphere && math.Abs(x[5]-math.Sqrt(.5)) > 1e-12 {
						t.Fatalf("action %d ends with %v", a, x[5])
					}
				}
				slices.Sort(means)
				if w.best != w.mean[slices.Index(w.mean, w.best)] || math.Abs(means[19]-w.best) > 1e-12 {
					t.Fatalf("the best mean is %v, of %v", w.best, means)
				}
				if e := 1e-12; p.Law == Band && (means[0] < .5-e || means[18] > .6+e || means[19] < .75-e || means[19] > .85+e) {
					t.Fatalf("means %v", means)
				}
			}
		}
	})
}

// TestLinearActionsAreDrawnWhenTheyShouldBe, and one instance is the same for all runs.
func TestLinearActionsAreDrawnWhenTheyShouldBe(t *testing.T) {
	everyLinear(t, func(t *testing.T, p LinearParams) {
		first := func(w *Linear, round uint64) []float64 { return slices.Clone(w.Turn(round).Features[0]) }
		sites, again := linears(t, p, 5, 2), linears(t, p, 5, 2)
		a, b := sites[0], sites[1]
		if slices.Equal(first(a, 0), first(a, 1)) == (p.Draw == FreshActions) {
			t.Error("another round")
		}
		if slices.Equal(first(a, 1), first(b, 1)) != (p.Draw == CommonActions) {
			t.Error("another site")
		}
		if !slices.Equal(a.theta, b.theta) {
			t.Error("θ differs")
		}
		if !slices.Equal(first(a, 7), first(again[0], 7)) {
			t.Error("another run")
		}
		p.Instance++
		if other := linears(t, p, 5, 2); slices.Equal(a.theta, other[0].theta) || p.Draw != FreshActions && slices.Equal(first(a, 7), first(other[0], 7)) {
			t.Error("another instance is the same")
		}
	})
}

// TestDirectionsAreSpheresWithoutTheConstant: for one instance, with a number less, actions have
// the same directions as with law sphere and pay as much.
func TestDirectionsAreSpheresWithoutTheConstant(t *testing.T) {
	for _, draw := range []Drawing{OwnActions, CommonActions} {
		spheres := linears(t, LinearParams{Features: 6, Law: Sphere, Draw: draw, Instance: 3}, 20, 2)
		for i, w := range linears(t, LinearParams{Features: 5, Law: Direction, Draw: draw, Instance: 3}, 20, 2) {
			for a, x := range w.Turn(0).Features {
				if with := spheres[i].mean[a]; math.Abs(w.mean[a]-with) > 1e-12 {
					t.Errorf("action %d pays %v, with the constant %v", a, w.mean[a], with)
				}
				for k, v := range x {
					if math.Abs(v-spheres[i].x[a][k]*math.Sqrt2) > 1e-12 {
						t.Fatalf("action %d is %v, with the constant %v", a, x, spheres[i].x[a])
					}
				}
			}
		}
	}
}

// TestLinearPaysWhatItShould on average, for each action, with a false alarm in a billion.
func TestLinearPaysWhatItShould(t *testing.T) {
	const n = 20_000
	w := linears(t, LinearParams{Features: 4, Law: Sphere, Draw: OwnActions, Instance: 5}, 4, 1)[0]
	for a, mean := range w.mean {
		sum := 0.
		for round := range uint64(n) {
			w.Turn(round)
			y, err := w.Play(bandit.Arm(a))
			if err != nil || y != 0 && y != 1 {
				t.Fatal(float64(y), err)
			}
			sum += float64(y)
		}
		if off := math.Abs(sum/n-mean) / math.Sqrt(mean*(1-mean)/n); off > 6.1 {
			t.Errorf("action %d pays %v, %.1f deviations off", a, sum/n, off)
		}
	}
	if _, err := w.Play(4); err == nil {
		t.Error("an action that does not exist pays")
	}
}

func TestLinearNeedsAnInstanceOrARun(t *testing.T) {
	p := LinearParams{Features: 5, Law: Sphere, Draw: OwnActions, Gap: .1}
	source, err := Open(p, network(p, 2))
	if err != nil {
		t.Fatal(err)
	}
	var refused *ParamError
	if _, err = source.Sites(nil); !errors.As(err, &refused) || refused.Key != "world.linear.instance" {
		t.Error(err)
	}
	if _, err = source.Sites(network(p, 2).Instance(1)); err != nil {
		t.Error(err)
	}
	for field, bad := range map[string]LinearParams{
		"features": {Features: 1, Law: Sphere, Draw: OwnActions},
		"gap":      {Features: 2, Law: Band, Draw: OwnActions, Gap: .31},
	} {
		if _, err := Open(bad, network(bad, 2)); !errors.As(err, &refused) || refused.Key != "world.linear."+field {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
