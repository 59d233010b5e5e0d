package bandit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit/belief"
)

// giving are sites that give by a rule: nothing is kept, and a site that gives nothing does nothing.
type giving struct {
	rules   []*Gift
	beliefs []Belief
	arms    [][]batches
	lost    []float64
}

func newGiving(arms, sites int, scale float64) *giving {
	s := &giving{lost: make([]float64, sites)}
	for i := range sites {
		s.rules = append(s.rules, NewGift(arms, sites, i, scale))
		s.beliefs = append(s.beliefs, belief.New(arms, 1))
		s.arms = append(s.arms, make([]batches, arms))
	}
	return s
}

// round has the sites from one on to another decide once, and reports whether any gave.
func (s *giving) round(from, to int, means []float64, rng *rand.Rand) (gave bool) {
	type release struct{ arm, site int }
	var news []release
	for i := from; i < to; i++ {
		g, b := s.rules[i], &s.beliefs[i]
		if !g.Wants(b) {
			continue
		}
		gave = true
		k := int(g.Choose(b, Turn{}).Arm)
		s.lost[i] += slices.Max(means) - means[k]
		b.Pulls[k]++
		a := &s.arms[i][k]
		a.open++
		if rng.Float64() < means[k] {
			a.paid++
		}
		if a.open >= max(float64(g.First()), a.n) {
			a.sum += a.paid + g.scale*(rng.ExpFloat64()-rng.ExpFloat64())
			a.n, a.draws, a.open, a.paid = a.n+a.open, a.draws+g.scale*g.scale, 0, 0
			news = append(news, release{k, i})
		}
	}
	for _, r := range news {
		for j := range s.beliefs {
			a := &s.arms[r.site][r.arm]
			say(&s.beliefs[j], r.arm, r.site, a.sum/a.n, a.n, a.draws)
		}
	}
	return gave
}

// given returns how many decisions a site has given, and of which arm most.
func (s *giving) given(site int) (all, most float64) {
	for _, n := range s.beliefs[site].Pulls {
		all, most = all+float64(n), max(most, float64(n))
	}
	return all, most
}

// TestGiftEnds: sites give a few rewards of every arm and then nothing, and lose little by it. A site that comes later finds arms known and gives hardly
// anything.
func TestGiftEnds(t *testing.T) {
	const sites, runs = 11, 40
	means := []float64{.8, .6, .5, .4, .2}
	founders, newcomer := 0., 0.
	lost := 0.
	for run := range uint64(runs) {
		rng := rand.New(rand.NewPCG(run, 3))
		s := newGiving(len(means), sites, 1)
		most := s.rules[0].Most()
		end := most*float64(len(means)) + 1
		for _, who := range [][2]int{{0, sites - 1}, {sites - 1, sites}} {
			for n := 0.; s.round(who[0], who[1], means, rng); n++ {
				if n > end {
					t.Fatal("sites still give")
				}
			}
		}
		for i := range sites {
			all, each := s.given(i)
			if each > most {
				t.Fatalf("a site gave %v rewards of an arm, want at most %v", each, most)
			}
			if i < sites-1 {
				founders += all / runs / (sites - 1)
				lost += s.lost[i] / runs / (sites - 1)
			} else {
				newcomer += all / runs
			}
		}
	}
	t.Logf("given by a founder %.1f, which costs %.1f, by a newcomer %.1f", founders, lost, newcomer)
	if founders < 10 || founders > 60 || lost > 10 || newcomer > founders/4 {
		t.Error("want 10 to 60 for at most 10, and a newcomer at most a quarter")
	}
}

// TestGiftPays: joining pays where noise is small for the number of sites, and otherwise nothing is given.
func TestGiftPays(t *testing.T) {
	for _, c := range []struct {
		sites int
		scale float64
		first uint64
	}{{1, 0, 0}, {2, 1, 0}, {10, 1, 6}, {20, 1, 4}, {50, 1, 3}, {10, 1 / .3, 0}, {50, 1 / .3, 7}, {10, 0, 3}, {10, 1e300, 0}, {10, math.Inf(1), 0}} {
		g := NewGift(5, c.sites, 0, c.scale)
		b := belief.New(5, 1)
		if g.First() != c.first || g.Wants(&b) != (c.first > 0) {
			t.Errorf("%d sites, scale %v: first batch of %d, wants %v; want %d", c.sites, c.scale, g.First(), g.Wants(&b), c.first)
		}
		if k := g.Choose(&b, Turn{Excluded: []Arm{0, 1, 2, 4}}).Arm; k != 3 {
			t.Errorf("chooses %d, which is excluded", k)
		}
	}
}

// TestGiftFinishesBatches: a batch under way is finished whatever others say, and a full one waits for its rewards.
func TestGiftFinishesBatches(t *testing.T) {
	g, b := NewGift(4, 20, 0, 1), belief.New(4, 1)
	for k := range 4 {
		for site := 1; site < 20; site++ {
			say(&b, k, site, []float64{.9, .1, .5, .1}[k], 16, 3)
		}
	}
	if g.Wants(&b) {
		t.Error("gives of arms that are known well")
	}
	b.Pulls[1] = 1
	for n := b.Pulls[1]; n < g.First(); n++ {
		if !g.Wants(&b) || g.Choose(&b, Turn{}).Arm != 1 {
			t.Fatal("a batch under way is left")
		}
		b.Pulls[1]++
	}
	if g.Wants(&b) || g.Choose(&b, Turn{}).Arm != 0 {
		t.Error("a full batch grows, or the best arm by releases is not chosen")
	}
}

// TestGiftBoundsLiars: whatever other sites claim, a site gives no more than its most, and only reads the belief.
func TestGiftBoundsLiars(t *testing.T) {
	const arms = 3
	rng := rand.New(rand.NewPCG(1, 3))
	strange := []float64{0, 1, -1, .5, 1e-300, 1e6, 1e300, -1e300, math.MaxFloat64}
	any := func() float64 { return strange[rng.IntN(len(strange))] }
	for range 30 {
		s := newGiving(arms, 10, 1)
		g, b := s.rules[0], &s.beliefs[0]
		most := g.Most()
		for range 4 * arms * int(most) {
			for range 3 {
				k, site := rng.IntN(arms), 1+rng.IntN(9)
				b.Sites[k] = slices.DeleteFunc(b.Sites[k], func(x belief.Site) bool { return x.Peer == site })
				n := max(1, any())
				b.Sites[k] = append(b.Sites[k], belief.Site{Peer: site, Mean: any(), N: n, Released: any(), LaplaceSumSq: any(), LaplaceMax: any(), GaussVar: any()})
			}
			wants := g.Wants(b)
			if c := g.Choose(b, Turn{Excluded: []Arm{1}}); c.Arm != 0 && c.Arm != 2 {
				t.Fatalf("chooses %d", c.Arm)
			}
			if g.Wants(b) != wants || g.Choose(b, Turn{}) != g.Choose(b, Turn{}) {
				t.Fatal("asking changes the answer")
			}
			s.round(0, 1, []float64{.5, .5, .5}, rng)
		}
		if _, n := s.given(0); n > most {
			t.Fatalf("gives %v of an arm, want at most %v", n, most)
		}
	}
}
