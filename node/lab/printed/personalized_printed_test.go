package printed

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

func personalized(t *testing.T, rule Rule, known float64) *Personalized {
	t.Helper()
	l, err := PersonalizedParams{rule, known}.New(bandit.Config{Arms: 2, Peers: 3, Rand: rand.New(rand.NewPCG(1, 1))})
	if err != nil {
		t.Fatal(err)
	}
	return l.(*Personalized)
}

// apart is a belief in which the own site's best arm is 0 and the others' is 1.
func apart(own float64) *bandit.Belief {
	b := belief.New(2, 1)
	for k := range 2 {
		for site := range 3 {
			x, n := []float64{.2, .8}[k], 1e5
			if site == 0 {
				x, n = 1-x, own
			}
			b.Sites[k] = append(b.Sites[k], belief.Site{Peer: site, Mean: x, N: n})
		}
		b.X[k], b.SampleVar[k] = .5, 1e-5
	}
	return &b
}

// TestRulesFollowWhatTheyAreGiven: if sites are said to be alike they choose the others' best arm, and otherwise the own one.
func TestRulesFollowWhatTheyAreGiven(t *testing.T) {
	for rule, known := range map[Rule][2]float64{Mixture: {0, 1}, Robust: {0, 1}, Hierarchical: {.001, .5}} {
		for i, want := range []bandit.Arm{1, 0} {
			u, others := personalized(t, rule, known[i]), 0
			for range 200 {
				if u.Choose(apart(2000), bandit.Turn{Round: 1000}).Arm != want {
					others++
				}
			}
			if others > 0 {
				t.Errorf("%s told %v: not arm %d in %d of 200 choices", rule, known[i], want, others)
			}
		}
	}
}

// TestRobustIsNoWiderThanAlone: the index has at most the radius of the own mean, and with others that are alike far less.
func TestRobustIsNoWiderThanAlone(t *testing.T) {
	b, level := apart(100), 2*math.Log(1000)
	alone := math.Sqrt(level / 400)
	for _, known := range []float64{0, .05, .2, 1} {
		u := personalized(t, Robust, known)
		own, _, other, _ := u.rows(b, 0, 0)
		if index := u.robust(b, 0, level); index > max(own, other)+alone+1e-12 {
			t.Errorf("known %v: index %v of means %v and %v, the radius alone is %v", known, index, own, other, alone)
		}
	}
	if index := personalized(t, Robust, 0).robust(b, 0, level); math.Abs(index-.2) > .02 {
		t.Errorf("index %v, others say .2", index)
	}
}
