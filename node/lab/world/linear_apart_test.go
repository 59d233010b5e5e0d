package world

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/internal/require"
)

// TestParametersOfSitesAreApart by the deviation, on average, in groups of sites that share one; actions that sites
// share pay each by its own parameter.
func TestParametersOfSitesAreApart(t *testing.T) {
	for _, law := range []Law{Sphere, Direction} {
		for _, draw := range []Drawing{OwnActions, CommonActions, FreshActions} {
			p := LinearParams{Features: 6, Law: law, Draw: draw, Deviation: .3, Groups: 3}
			square, pairs := 0., 0.
			for run := range uint64(200) {
				source := require.Value(p.Open(Config{Arms: 4, Sites: 6}))(t)
				sites, err := source.Sites(rand.New(rand.NewPCG(run, 1)))
				if err != nil || !sites.Own {
					t.Fatalf("own regret %v, %v", sites.Own, err)
				}
				var thetas [][]float64
				for i := range 6 {
					w := require.Value(sites.World(i, rand.NewChaCha8([32]byte{byte(i)})))(t)
					l := w.(*Linear)
					thetas = append(thetas, l.theta)
					for k, x := range l.x {
						want := dot(x, l.theta)
						if law == Direction {
							want = (1 + want) / 2
						}
						if math.Abs(l.mean[k]-want) > 1e-9 {
							t.Fatalf("%s, %s: an action of site %d pays %v, want %v", law, draw, i, l.mean[k], want)
						}
					}
				}
				for i := range 3 {
					if !slices.Equal(thetas[i], thetas[i+3]) {
						t.Fatalf("%s: sites %d and %d of a group differ", law, i, i+3)
					}
					if norm := dot(thetas[i], thetas[i]); math.Abs(norm-1) > 1e-9 {
						t.Fatalf("%s: norm %v", law, norm)
					}
					for j := range i {
						pairs++
						for k, v := range thetas[i] {
							square += (v - thetas[j][k]) * (v - thetas[j][k])
						}
					}
				}
			}
			want := 2 * .3 * .3
			if law == Sphere {
				want /= 2
			}
			if mean := square / pairs; mean < .7*want || mean > 1.1*want { // less across the direction only
				t.Errorf("%s, %s: squared distance %.3f, want about %.3f", law, draw, mean, want)
			}
		}
	}
}

// TestAnOddSiteHasItsEntry: the entry of its direction is what the row says, other entries keep their proportions and θ its
// norm; other sites have one parameter. Actions that sites share pay each by its own.
func TestAnOddSiteHasItsEntry(t *testing.T) {
	for _, law := range []Law{Sphere, Direction} {
		for _, draw := range []Drawing{OwnActions, CommonActions, FreshActions} {
			p := LinearParams{Features: 5, Law: law, Draw: draw, Instance: 3, Odd: [][]float64{{2, 1, -.9}}}
			sites := linears(t, p, 6, 3)
			common, odd := sites[0].theta, sites[2].theta
			if !slices.Equal(common, sites[1].theta) {
				t.Errorf("%s: θ of other sites differs", law)
			}
			if norm := dot(odd, odd); math.Abs(norm-1) > 1e-12 {
				t.Errorf("%s: norm² %v", law, norm)
			}
			want := -.9
			if law == Sphere {
				want *= math.Sqrt(.5)
			}
			if math.Abs(odd[1]-want) > 1e-12 || math.Abs(odd[0]*common[2]-odd[2]*common[0]) > 1e-12 || odd[0]*common[0] <= 0 {
				t.Errorf("%s: θ is %v, elsewhere %v", law, odd, common)
			}
			for k, x := range sites[2].x {
				m := dot(x, odd)
				if law == Direction {
					m = (1 + m) / 2
				}
				if math.Abs(sites[2].mean[k]-m) > 1e-9 {
					t.Errorf("%s, %s: action %d pays %v, want %v", law, draw, k, sites[2].mean[k], m)
				}
			}
		}
	}
}

// TestOddRowsAreRefused that name no site, feature or entry.
func TestOddRowsAreRefused(t *testing.T) {
	for _, row := range [][]float64{{3, 0, 0}, {-1, 0, 0}, {.5, 0, 0}, {0, 4, 0}, {0, 0, 1.1}, {0, 0}, {0, 0, 0, 0}} {
		p := LinearParams{Features: 5, Law: Sphere, Draw: OwnActions, Odd: [][]float64{row}}
		if field, _ := Check(p, Config{Arms: 4, Sites: 3}); field != "odd" {
			t.Errorf("row %v: field %q is refused", row, field)
		}
	}
	p := LinearParams{Features: 5, Law: Band, Draw: OwnActions, Odd: [][]float64{{0, 0, 1}}}
	if field, _ := Check(p, Config{Arms: 4, Sites: 3}); field != "odd" {
		t.Errorf("law band: field %q is refused", field)
	}
}
