package world

import (
	"reflect"
	"strings"
	"testing"

	"peerd.dev/bandit"
)

// TestArmsAreBernoulliWithFeatures: means, coins, rewards and regret are as in world bernoulli, and so is the lower
// bound; features are unit vectors.
func TestArmsAreBernoulliWithFeatures(t *testing.T) {
	rows := [][]float64{{.5, .4, .3}, {.2, .4, .6}}
	arms := LinearParams{Features: 3, Law: Arms, Draw: CommonActions, Means: rows}
	var sites [2]*Sites
	for i, p := range []Params{arms, BernoulliParams{Means: rows, Draw: Given}} {
		c := network(p, 4)
		c.Arms = 3
		source, err := Open(p, c)
		if err != nil {
			t.Fatal(err)
		}
		if sites[i], err = source.Sites(nil); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(sites[0].Means, sites[1].Means) || !sites[0].Binary || sites[0].Own {
		t.Errorf("%+v, want %+v with vectors", sites[0], sites[1])
	}
	for i := range 4 {
		a, errA := sites[0].World(i, seeded(uint64(i)))
		b, errB := sites[1].World(i, seeded(uint64(i)))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		for round := range uint64(200) {
			x := a.Turn(round).Features
			b.Turn(round)
			arm := bandit.Arm(round % 3)
			if dot(x[arm], x[arm]) != 1 || x[arm][arm] != 1 {
				t.Fatalf("arm %d has features %v", arm, x[arm])
			}
			u, _ := a.Play(arm)
			v, _ := b.Play(arm)
			if u != v || a.Regret(arm) != b.Regret(arm) {
				t.Fatalf("site %d, round %d: another reward or regret than in world bernoulli", i, round)
			}
		}
	}
	for field, change := range map[string]func(p *LinearParams){
		"draw":      func(p *LinearParams) { p.Draw = FreshActions },
		"deviation": func(p *LinearParams) { p.Deviation = .1 },
		"odd":       func(p *LinearParams) { p.Odd = [][]float64{{0, 0, .5}} },
		"features":  func(p *LinearParams) { p.Features = 4 },
		"means":     func(p *LinearParams) { p.Means = [][]float64{{.9, .9, .9}} },
	} {
		p := arms
		change(&p)
		if got, want := Check(p, Config{Arms: 3, Sites: 4}); got != field {
			t.Errorf("%+v: %q is refused, %s", p, got, want)
		}
	}
	arms.Law = Sphere
	if _, want := Check(arms, Config{Arms: 3, Sites: 4}); !strings.Contains(want, "without law: arms") {
		t.Error(want)
	}
}
